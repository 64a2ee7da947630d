package guards

import (
	"fmt"

	"fusebox/agent"
)

// Reminder words a warning for the model: what it did, and what to do instead.
func Reminder(v agent.Verdict, tool string) string {
	advice := fmt.Sprintf("Calling %s again like this will not help. Try another approach, or tell the person what is missing.", tool)
	switch v.Detector {
	case "max_steps", "max_duration":
		advice = "Come to an end now: give the answer with what you have, and say what is left."
	case "consecutive_errors":
		advice = "Read the error texts and change the approach, or tell the person what is missing."
	}
	return "[System reminder] " + v.Message + " " + advice
}
