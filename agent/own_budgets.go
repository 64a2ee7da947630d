package agent

// OwnBudgets are those that come with a run: its limits of tokens and money, and
// the tokens of its conversation. A run has one call under way at a time, so that
// nothing else limits what they leave.
func OwnBudgets(r Run, conversationTokens int64) []BudgetStatus {
	var all []BudgetStatus
	if r.Limits.Tokens > 0 || r.Limits.CostMicros > 0 {
		all = append(all, BudgetStatus{
			Budget: Budget{Who: WhoRun, Span: SpanRun, LimitTokens: r.Limits.Tokens, LimitMicros: r.Limits.CostMicros, AtLimit: LimitPause},
			Of:     r.ID, UsedTokens: r.Usage.Total(), UsedMicros: r.CostMicros,
		})
	}
	if r.Limits.ConversationTokens > 0 {
		all = append(all, BudgetStatus{
			Budget: Budget{Who: WhoConversation, Span: SpanTotal, LimitTokens: r.Limits.ConversationTokens, AtLimit: LimitPause},
			Of:     r.ConversationID, UsedTokens: conversationTokens,
		})
	}
	return all
}
