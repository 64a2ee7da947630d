package page

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/part"
	"fusebox/views/text"
	"fusebox/web/present"
	"fusebox/web/present/invisible"
	"fusebox/web/request"
	"fusebox/web/site"
)

// Tools shows the pages about tools and takes their forms.
type Tools struct {
	*site.Site
	PolicyRules []agent.PolicyRule
	Tools       agent.Toolbox
	Servers     service.ToolServers
	OpenAPI     service.OpenAPISources
	// LeftOut are the tools that endpoints refuse.
	LeftOut func() []agent.LeftOutTool
	Walls   agent.Walls
	Usual   func(agent.ToolSpec, agent.ApprovalMode) agent.PolicyVerdict
}

// endedRules is how many rules that have ended the page lists.
const endedRules = 20

// toolsInput is what a form of the page that was refused has to say.
type toolsInput struct {
	problem, at string
	form        *page.PolicyForm // as it was typed, nil for an empty one
}

// Show shows the tools and the rules. With ?edit= the form has a rule,
// with ?tool= a call is tried.
func (s *Tools) Show(c echo.Context) error {
	return s.show(c, http.StatusOK, toolsInput{})
}

func (s *Tools) show(c echo.Context, status int, in toolsInput) error {
	ctx := c.Request().Context()
	active, err := s.Store.PolicyRules(ctx)
	if err != nil {
		return err
	}
	ended, err := s.endedRules(c)
	if err != nil {
		return err
	}
	p := page.ToolsProps{Problem: in.problem, At: in.at, Config: s.policyRows(site.Words(c), s.PolicyRules), Active: s.policyRows(site.Words(c), active), Ended: ended}
	p.Tools = s.toolList(site.Words(c), site.Searched(c))
	p.Servers = serverRows(site.Words(c), s.Servers.ToolServers())
	p.OpenAPI = openAPIRows(site.Words(c), s.OpenAPI.OpenAPISources())
	for _, t := range s.LeftOut() {
		t.Why = site.Words(c).Recorded(invisible.Visible(t.Why))
		p.LeftOut = append(p.LeftOut, t)
	}
	p.Walls = wallRows(site.Words(c), s.Walls)
	p.Form = s.emptyRuleForm(site.Words(c))
	if in.form != nil {
		p.Form = *in.form
	} else if id := c.QueryParam("edit"); id != "" {
		rule, err := s.Store.PolicyRule(ctx, id)
		if err != nil {
			return err
		}
		p.Form = s.ruleForm(site.Words(c), *rule)
	}
	var refused bool
	if p.Try, refused, err = s.tryOnPage(c); err != nil {
		return err
	}
	if refused && status == http.StatusOK {
		status = http.StatusUnprocessableEntity
	}
	return s.Render(c, status, page.Tools(s.Shell(c, site.Words(c).T("page.title.tools"), "tools"), p))
}

// wallRows are the walls as the page shows them.
func wallRows(tr *text.Printer, w agent.Walls) page.Walls {
	shown := page.Walls{By: strings.Join(w.By, ", "), Hold: w.Hold}
	for _, name := range w.Standing {
		shown.Rows = append(shown.Rows, page.WallRow{Name: name, Label: present.WallLabel(tr, name), Stands: true})
	}
	for _, name := range w.Missing {
		shown.Rows = append(shown.Rows, page.WallRow{Name: name, Label: present.WallLabel(tr, name)})
	}
	return shown
}

// endedRules are the newest of those that are suspended, ran out, or were revoked.
func (s *Tools) endedRules(c echo.Context) ([]page.PolicyRow, error) {
	var rows []page.PolicyRow
	for _, state := range []agent.PolicyState{agent.PolicySuspended, agent.PolicyExpired, agent.PolicyRevoked} {
		rules, _, err := s.Store.AllPolicyRules(c.Request().Context(), state, agent.Page{Limit: endedRules})
		if err != nil {
			return nil, err
		}
		rows = append(rows, s.policyRows(site.Words(c), rules)...)
	}
	return rows, nil
}

// openTools is how many tools are shown without unfolding their groups.
const openTools = 40

// toolList are the tools that have all words of a query, by where they come from.
func (s *Tools) toolList(tr *text.Printer, query string) page.ToolList {
	specs := s.Tools.Specs()
	list := page.ToolList{Query: strings.TrimSpace(query), Total: len(specs)}
	places := map[string]int{} // of the groups, by source
	for _, t := range specs {
		if !hasWords(t, list.Query) {
			continue
		}
		list.Found++
		i, ok := places[t.Source]
		if !ok {
			i = len(list.Groups)
			places[t.Source] = i
			list.Groups = append(list.Groups, page.ToolGroup{Label: sourceLabel(tr, t.Source)})
		}
		list.Groups[i].Rows = append(list.Groups[i].Rows, s.toolRow(tr, t))
		s.count(&list.Groups[i], t)
	}
	for i := range list.Groups {
		list.Groups[i].Open = list.Found <= openTools
	}
	return list
}

// hasWords reports whether a tool has all words of a query in its name or description.
func hasWords(t agent.ToolSpec, query string) bool {
	text := strings.ToLower(t.Name + " " + t.Description)
	for _, word := range strings.Fields(strings.ToLower(query)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// count adds what becomes of a tool's calls to the sums of its group.
func (s *Tools) count(g *page.ToolGroup, t agent.ToolSpec) {
	switch action := s.Usual(t, agent.ModeDefault).Action; {
	case action == agent.ActionDeny:
		g.Denied++
	case action == agent.ActionAsk || t.AsksPerson:
		g.Asks++
	default:
		g.Runs++
	}
}

// sourceLabel names a source, such as mcp:files.
func sourceLabel(tr *text.Printer, source string) string {
	kind, name, _ := strings.Cut(source, ":")
	switch kind {
	case "mcp":
		return tr.T("policy.tools.mcp", name)
	case "command":
		return tr.T("policy.tools.command", name)
	case "openapi":
		return tr.T("policy.tools.openapi", name)
	}
	return tr.T("policy.tools.builtin")
}

func (s *Tools) toolRow(tr *text.Printer, t agent.ToolSpec) page.ToolRow {
	row := page.ToolRow{Name: t.Name, About: firstSentence(t.Description), Effect: present.EffectLabel(tr, t.Effect)}
	if t.Polling {
		row.Traits = append(row.Traits, tr.T("page.tools.polling"))
	}
	if t.Idempotent {
		row.Traits = append(row.Traits, tr.T("page.tools.idempotent"))
	}
	usual := s.Usual(t, agent.ModeDefault)
	row.Risk, row.Tone = string(usual.Risk), present.RiskTone(usual.Risk)
	row.Usual, row.In = present.ActionVerdict(tr, usual.Action), tr.T("page.tools.every_mode")
	if t.AsksPerson {
		row.Usual = present.ActionVerdict(tr, agent.ActionAsk)
		return row
	}
	modes := []agent.ApprovalMode{agent.ModeDefault, agent.ModeAutoEdit, agent.ModeYolo}
	alike := slices.DeleteFunc(slices.Clone(modes), func(m agent.ApprovalMode) bool { return s.Usual(t, m).Action != usual.Action })
	if len(alike) < len(modes) {
		labels := make([]string, len(alike))
		for i, m := range alike {
			labels[i] = tr.T("page.tools.mode", present.ModeLabel(tr, m))
		}
		row.In = tr.T("page.tools.only_in", present.InWords(tr, labels))
	}
	return row
}

// firstSentence is how a tool's description begins.
func firstSentence(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	sentence, _, more := strings.Cut(line, ". ")
	if more {
		sentence += "."
	}
	return agent.Clip(sentence, 160)
}

// tryOnPage asks policy about the call of the query; refused reports whether
// something in it is not allowed.
func (s *Tools) tryOnPage(c echo.Context) (form page.TryCall, refused bool, err error) {
	in := service.TriedCall{
		Tool: c.QueryParam("tool"), Args: json.RawMessage(strings.TrimSpace(c.QueryParam("args"))),
		Mode: agent.ApprovalMode(c.QueryParam("mode")), Owner: c.QueryParam("owner"),
	}
	form = page.TryCall{
		Args: c.QueryParam("args"), Owner: in.Owner,
		Modes: modeChoices(site.Words(c), request.Viewer(c), in.Mode),
	}
	for _, t := range s.Tools.Specs() {
		form.Tools = append(form.Tools, page.Choice{Value: t.Name, Label: t.Name, Selected: t.Name == in.Tool})
	}
	if in.Tool == "" {
		return form, false, nil
	}
	r, pattern, err := s.Service.Rules.Try(c.Request().Context(), request.Viewer(c), in)
	if agent.CodeOf(err) == agent.Invalid {
		form.Errors = request.FieldErrors(site.Words(c), err)
		return form, true, nil
	}
	if err != nil {
		return form, false, err
	}
	form.Result = &page.TryResult{
		Action: present.ActionVerdict(site.Words(c), r.Action), Risk: page.Verdict{Word: site.Words(c).T("page.tools.risk", part.RiskWord(site.Words(c), string(r.Risk))), Tone: present.RiskTone(r.Risk)},
		Rule: r.Rule.String(), Href: present.RuleHref(r.Rule), Reason: r.Reason, Pattern: strings.Join(present.PatternLines(pattern), ", "),
	}
	return form, false, nil
}

// policyRows are rules as the page shows them.
func (s *Tools) policyRows(tr *text.Printer, rules []agent.PolicyRule) []page.PolicyRow {
	rows := make([]page.PolicyRow, len(rules))
	for i, r := range rules {
		rows[i] = page.PolicyRow{
			ID: r.ID, Name: r.Authority().String(), Tool: cmp.Or(r.Tool, tr.T("page.tools.any_tool")), Action: present.RuleVerdict(r.Action), Says: present.PolicyWords(tr, r), Reason: r.Reason,
			By: r.CreatedBy, At: r.CreatedAt, Until: r.ExpiresAt, Approval: r.ApprovalID,
			Everybodys: r.ApprovalID != "" && r.Who == "",
		}
		if r.Source == agent.RuleFromConfig {
			rows[i].ID = rows[i].Name
		}
		rows[i].Ended, rows[i].Suspended = s.ended(tr, r)
	}
	return rows
}

// ended says why a rule is not in force, "" for one that is.
func (s *Tools) ended(tr *text.Printer, r agent.PolicyRule) (said string, suspended bool) {
	switch state, why := r.State(s.Clock.Now()); {
	case state == agent.PolicyRevoked:
		return tr.T("page.tools.revoked_by", r.RevokedBy), false
	case state == agent.PolicyExpired:
		return tr.T("page.tools.expired"), false
	case why == agent.PolicyAuthorLostRight:
		return tr.T("page.tools.author_lost_right", r.CreatedBy), true
	case why == agent.PolicyUndoable:
		return tr.T("page.tools.undoable"), true
	}
	return "", false
}
