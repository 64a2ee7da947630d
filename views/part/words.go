package part

import (
	"fusebox/agent"
	"fusebox/views/text"
)

// RiskWord is a risk in a word, as within a sentence.
func RiskWord(tr *text.Printer, risk string) string {
	switch risk {
	case "low":
		return tr.T("risk.low")
	case "medium":
		return tr.T("risk.medium")
	case "high":
		return tr.T("risk.high")
	case "critical":
		return tr.T("risk.critical")
	default:
		return risk
	}
}

// RoleWord is the role of an account in a word, as within a sentence.
func RoleWord(tr *text.Printer, role string) string {
	switch role {
	case "user":
		return tr.T("role.user")
	case "reviewer":
		return tr.T("role.reviewer")
	case "admin":
		return tr.T("role.admin")
	default:
		return role
	}
}

// StatusWord is the status of a run in a word.
func StatusWord(tr *text.Printer, status string) string {
	switch status {
	case "queued":
		return tr.T("status.queued")
	case "running":
		return tr.T("status.running")
	case "paused":
		return tr.T("status.paused")
	case "finished":
		return tr.T("status.finished")
	case "stopped":
		return tr.T("status.stopped")
	case "failed":
		return tr.T("status.failed")
	case "aborted":
		return tr.T("status.aborted")
	default:
		return status
	}
}

// PlanStatusWord is the status of a plan's step in a word.
func PlanStatusWord(tr *text.Printer, status string) string {
	switch status {
	case "not_started":
		return tr.T("plan.not_started")
	case "in_progress":
		return tr.T("plan.in_progress")
	case "completed":
		return tr.T("plan.completed")
	case "blocked":
		return tr.T("plan.blocked")
	default:
		return status
	}
}

// alertKind names what an alert is about, in a word, with its colour.
func alertKind(tr *text.Printer, kind agent.AlertKind) (label, tone string) {
	switch kind {
	case agent.AlertBudgetWarning:
		return tr.T("page.alerts.warning"), "warm"
	case agent.AlertBudgetReached:
		return tr.T("page.alerts.reached"), "tripped"
	case agent.AlertSpendSpike:
		return tr.T("page.alerts.spike"), "tripped"
	case agent.AlertLookAlike:
		return tr.T("page.alerts.look_alike"), "warm"
	default:
		return "", ""
	}
}
