// The addresses that are looked at, beside those of the seeded chats.

/** What somebody sees who is not signed in. */
export const stranger = ["/login"];

/** What an admin sees. */
export const admin = [
  "/", "/approvals", "/alerts", "/settings/account", "/settings/appearance", "/settings/notifications", "/settings/tokens", "/settings/memory", "/prompts", "/settings/usage", "/admin/spend", "/admin/budgets", "/admin/users", "/documents/state", "/documents/import", "/admin/documents", "/admin/models", "/admin/guards",
  "/admin/guards/thresholds", "/admin/guards/rules", "/admin/guards/learning", "/admin/notifications", "/admin/audit", "/admin/audit/mirror", "/admin/feedback", "/admin/storage", "/admin/tools", "/admin/agents", "/admin/agents/researcher", "/admin/workflows", "/admin/workflows?new=1", "/admin/workflows/content-pipeline", "/styleguide",
];

/** What everybody may come upon. */
export const open = { missing: "/no-such-page" };
