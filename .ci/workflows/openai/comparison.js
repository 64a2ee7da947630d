// Comparison: three researchers at the same time, and an analyst who weighs what they found.
import { analyst, ask, researcher } from "./common.js";

export async function begin(id, message) {
  const angle = (task) => ask(researcher, `Compare the options. ${task}`, { message });
  const [fit, cost, risks] = await Promise.all([
    angle("Your part is how well each fits."),
    angle("Your part is what each costs."),
    angle("Your part is what can go wrong."),
  ]);
  return ask(analyst, "Weigh the options.", { message, fit, cost, risks });
}
