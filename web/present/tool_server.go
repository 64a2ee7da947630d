package present

import (
	"strings"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/views/text"
)

// ServerState is what a server of tools is doing, in a word.
func ServerState(tr *text.Printer, state agent.ToolServerState) page.Verdict {
	switch state {
	case agent.ServerReady:
		return page.Verdict{Word: tr.T("present.server.ready"), Tone: "good"}
	case agent.ServerChanged:
		return page.Verdict{Word: tr.T("present.server.changed"), Tone: "warm"}
	case agent.ServerFailed:
		return page.Verdict{Word: tr.T("present.server.failed"), Tone: "warm"}
	case agent.ServerStarting:
		return page.Verdict{Word: tr.T("present.server.starting")}
	case agent.ServerEmpty:
		return page.Verdict{Word: tr.T("present.server.empty"), Tone: "warm"}
	case agent.ServerOff:
		return page.Verdict{Word: tr.T("present.server.off")}
	default:
		return page.Verdict{Word: string(state)}
	}
}

// WallLabel is what a wall keeps from programs.
func WallLabel(tr *text.Printer, wall string) string {
	switch wall {
	case "files":
		return tr.T("present.wall.files")
	case "modes":
		return tr.T("present.wall.modes")
	case "network":
		return tr.T("present.wall.network")
	case "processes":
		return tr.T("present.wall.processes")
	case "user":
		return tr.T("present.wall.user")
	case "limits":
		return tr.T("present.wall.limits")
	default:
		return wall
	}
}

// wallLabels are those of several, for one line.
func wallLabels(tr *text.Printer, walls []string) string {
	labels := make([]string, len(walls))
	for i, w := range walls {
		labels[i] = WallLabel(tr, w)
	}
	return strings.Join(labels, " · ")
}

// wallsOf are what is kept from a command and what is not, "" for nothing.
func wallsOf(tr *text.Printer, w *agent.Walls) (standing, missing string) {
	if w == nil {
		return "", ""
	}
	return wallLabels(tr, w.Standing), wallLabels(tr, w.Missing)
}
