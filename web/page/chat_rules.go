package page

import (
	"strconv"

	"github.com/labstack/echo/v4"

	"fusebox/agent"
	"fusebox/views/page"
	"fusebox/web/present"
	"fusebox/web/request"
)

// SetChatRules takes the form that says what people may set for their own chats.
func (s *Budgets) SetChatRules(c echo.Context) error {
	typed := page.ChatRulesForm{
		Instructions: c.FormValue("instructions") == "true", Tokens: c.FormValue("maxRunTokens"), Dollars: c.FormValue("maxRunCostMicros"),
		Errors: map[string]string{},
	}
	rules := agent.ChatRules{NoInstructions: !typed.Instructions}
	var err error
	if rules.MaxRunTokens, err = present.TypedTokens("maxRunTokens", typed.Tokens); err != nil {
		typed.Errors = request.FieldErrors(words(c), err)
	}
	if rules.MaxRunMicros, err = present.TypedDollars("maxRunCostMicros", typed.Dollars); err != nil {
		typed.Errors["maxRunCostMicros"] = request.FieldErrors(words(c), err)["maxRunCostMicros"]
	}
	return s.answer(c, postedForm{
		bad: typed.Errors,
		save: func() (said, next string, err error) {
			err = s.Service.Conversations.SetRules(c.Request().Context(), request.Viewer(c), rules)
			return words(c).T("page.budgets.chats_saved"), "/admin/budgets", err
		},
		again: func(status int, fields map[string]string, _ string) error {
			typed.Errors = fields
			return s.show(c, status, budgetsInput{chats: &typed})
		},
	})
}

// chatRulesForm is the form as it was typed, or with the rules as they are.
func (s *Budgets) chatRulesForm(c echo.Context, typed *page.ChatRulesForm) (page.ChatRulesForm, error) {
	if typed != nil {
		return *typed, nil
	}
	rules, err := s.Service.Conversations.Rules(c.Request().Context())
	form := page.ChatRulesForm{Instructions: !rules.NoInstructions}
	if rules.MaxRunTokens > 0 {
		form.Tokens = strconv.FormatInt(rules.MaxRunTokens, 10)
	}
	if rules.MaxRunMicros > 0 {
		form.Dollars = present.DollarsTyped(rules.MaxRunMicros)
	}
	return form, err
}
