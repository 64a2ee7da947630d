package web

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
)

// maxRuleName bounds the names of tools and fields in a rule, in bytes.
const maxRuleName = 200

// guardRuleCreate is POST /api/v1/guards/rules: the rule is in force at once,
// in place of the one that its tool has.
func (s *Server) guardRuleCreate(c echo.Context) error {
	var in agent.ToolRule
	if err := readJSON(c, &in); err != nil {
		return err
	}
	g, err := s.addRule(c, in)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, g)
}

// addRule puts a rule that an admin wrote in force. The tool need not be known:
// rules may come before their tools.
func (s *Server) addRule(c echo.Context, rule agent.ToolRule) (agent.GuardRule, error) {
	g := agent.GuardRule{
		ID: s.NewID(), ToolRule: tidyRule(rule), State: agent.RuleActive, Actor: viewerOf(c).Email, At: agent.Stamp(s.Clock),
	}
	if err := checkRule(g.ToolRule); err != nil {
		return g, err
	}
	return g, s.Store.SaveRule(c.Request().Context(), g)
}

// tidyRule drops blanks around names, and names that are blank.
func tidyRule(r agent.ToolRule) agent.ToolRule {
	r.Tool = strings.TrimSpace(r.Tool)
	r.Identity, r.Volatile = tidyNames(r.Identity), tidyNames(r.Volatile)
	return r
}

func tidyNames(names []string) []string {
	var out []string
	for _, name := range names {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	return out
}

// checkRule holds a rule against its bounds; each error names the field.
func checkRule(r agent.ToolRule) error {
	if err := r.Check(); err != nil {
		return err
	}
	tooLong := func(name string) bool { return len(name) > maxRuleName }
	switch {
	case tooLong(r.Tool):
		return agent.InvalidField("tool", "has %d bytes; at most %d are allowed", len(r.Tool), maxRuleName)
	case slices.ContainsFunc(r.Identity, tooLong):
		return agent.InvalidField("identity", "has a name that is too long; at most %d bytes are allowed", maxRuleName)
	case slices.ContainsFunc(r.Volatile, tooLong):
		return agent.InvalidField("volatile", "has a name that is too long; at most %d bytes are allowed", maxRuleName)
	case r.Warning > 0 && r.Critical > 0 && r.Critical <= r.Warning:
		return agent.InvalidField("critical", "is %d; it must be above warning, %d", r.Critical, r.Warning)
	}
	return nil
}
