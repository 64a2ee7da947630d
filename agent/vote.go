package agent

import "time"

// NeededVotes is how many different people have to approve what is of a risk,
// where some people may: two for what is critical, as long as there are two.
func NeededVotes(risk Risk, deciders int) int {
	if risk == RiskCritical {
		return max(1, min(2, deciders))
	}
	return 1
}

// Vote is one person's approval of an approval that needs several.
type Vote struct {
	By      string    `json:"by"` // e-mail address
	At      time.Time `json:"at"`
	Comment string    `json:"comment,omitempty"`
}
