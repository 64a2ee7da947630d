package present

import (
	"fmt"
	"net/http"

	"fusebox/agent"
	"fusebox/views/part"
)

// failure says what a model call failed with, once, and what helps.
func (p *Presenter) failure(e agent.Event, d agent.ErrorEvent) part.Failure {
	f := part.Failure{ID: fmt.Sprintf("e-%d", e.Seq), Text: p.Text.Recorded(d.Message), Advice: p.Text.T("present.failure.final"), CSRF: p.CSRF}
	refused := d.Status == http.StatusUnauthorized || d.Status == http.StatusForbidden
	switch {
	case refused:
		f.Advice = p.Text.T("present.failure.refused")
		if p.Viewer.Role == agent.RoleAdmin {
			f.Advice, f.Models = p.Text.T("present.failure.refused_admin"), "/admin/models"
		}
	case d.Retryable:
		f.Advice = p.Text.T("present.failure.retryable")
	}
	if p.Owns {
		f.Edit = !refused
		f.Change = !d.Retryable
		if d.Retryable || refused {
			f.Again = "/runs/" + e.RunID + "/again"
		}
	}
	return f
}
