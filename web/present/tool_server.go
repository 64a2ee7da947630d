package present

import (
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
