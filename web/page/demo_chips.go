package page

import (
	"slices"

	"fusebox/agent/service"
	"fusebox/views/page"
	"fusebox/views/text"
)

// examples are what an empty chat offers to begin with: with the demo model what sets
// Fusebox apart, else what any model can do with the tools that are there.
func (s *Chat) examples(tr *text.Printer) []page.Example {
	if s.Service.Models.Demo() != "" {
		return []page.Example{
			{Icon: "tool", Head: tr.T("home.ask"), Text: tr.T("home.ask_sees"), Prompt: tr.T("demo.weather")},
			{Icon: "loop", Head: tr.T("home.loop"), Text: tr.T("home.loop_sees"), Prompt: tr.T("demo.insisting")},
			{Icon: "inbox", Head: tr.T("home.approval"), Text: tr.T("home.approval_sees"), Prompt: tr.T("demo.approval")},
			{Icon: "budget", Head: tr.T("home.budget"), Text: tr.T("home.budget_sees"), Prompt: tr.T("demo.budget")},
		}
	}
	offers := []page.Example{}
	for _, e := range []struct{ tool, icon, head, prompt string }{
		{"web_search", "search", tr.T("home.search"), tr.T("home.search_text")},
		{"run_shell", "bolt", tr.T("home.program"), tr.T("home.program_text")},
		{"write_file", "file", tr.T("home.file"), tr.T("home.file_text")},
		{"calculator", "tool", tr.T("home.sum"), tr.T("home.sum_text")},
	} {
		if _, there := s.Tools.Lookup(e.tool); there {
			offers = append(offers, page.Example{Icon: e.icon, Head: e.head, Text: e.prompt, Prompt: e.prompt})
		}
	}
	return offers
}

// nextExamples are the demo model's examples beside the one that a chat began with; none
// for a chat that began otherwise.
func (s *Chat) nextExamples(tr *text.Printer, began string) []page.Example {
	if s.Service.Models.Demo() == "" {
		return nil
	}
	all := s.examples(tr)
	i := slices.IndexFunc(all, func(e page.Example) bool { return service.TitleFrom(e.Prompt) == began })
	if i < 0 {
		return nil
	}
	return slices.Delete(all, i, i+1)
}

// demoChips are the demo model's dialogues, in the order in which a newcomer
// meets the breakers, the cards and the endings.
func demoChips(tr *text.Printer) []page.ExampleGroup {
	return []page.ExampleGroup{
		{Icon: "chat", Head: tr.T("demo.ask"), Examples: []page.Example{
			chip(tr.T("demo.help"), tr.T("demo.help_sees")),
			chip(tr.T("demo.weather"), tr.T("demo.weather_sees")),
			chip(tr.T("demo.sum"), tr.T("demo.sum_sees")),
			chip(tr.T("demo.difference"), tr.T("demo.difference_sees")),
			chip(tr.T("demo.read"), tr.T("demo.read_sees")),
			chip(tr.T("demo.search"), tr.T("demo.search_sees")),
			chip(tr.T("demo.web"), tr.T("demo.web_sees")),
			chip(tr.T("demo.web_two"), tr.T("demo.web_two_sees")),
			chip(tr.T("demo.library"), tr.T("demo.library_sees")),
			chip(tr.T("demo.library_web"), tr.T("demo.library_web_sees")),
			chip(tr.T("demo.library_open"), tr.T("demo.library_open_sees")),
			chip(tr.T("demo.sources"), tr.T("demo.sources_sees")),
			chip(tr.T("demo.remember"), tr.T("demo.remember_sees")),
			chip(tr.T("demo.recall"), tr.T("demo.recall_sees")),
			chip(tr.T("demo.parallel"), tr.T("demo.parallel_sees")),
			chip(tr.T("demo.thinking"), tr.T("demo.thinking_sees")),
			chip(tr.T("demo.markdown"), tr.T("demo.markdown_sees")),
			chip(tr.T("demo.plan"), tr.T("demo.plan_sees")),
			chip(tr.T("demo.outputs"), tr.T("demo.outputs_sees")),
			chip(tr.T("demo.terminate"), tr.T("demo.terminate_sees")),
		}},
		{Icon: "loop", Head: tr.T("demo.loops"), Examples: []page.Example{
			chip(tr.T("demo.insisting"), tr.T("demo.insisting_sees")),
			chip(tr.T("demo.dead_loop"), tr.T("demo.dead_loop_sees")),
			chip(tr.T("demo.ping_pong"), tr.T("demo.ping_pong_sees")),
			chip(tr.T("demo.cycle"), tr.T("demo.cycle_sees")),
			chip(tr.T("demo.similar"), tr.T("demo.similar_sees")),
			chip(tr.T("demo.no_progress"), tr.T("demo.no_progress_sees")),
			chip(tr.T("demo.nothing_new"), tr.T("demo.nothing_new_sees")),
			chip(tr.T("demo.polling"), tr.T("demo.polling_sees")),
			chip(tr.T("demo.unknown_tool"), tr.T("demo.unknown_tool_sees")),
			chip(tr.T("demo.errors"), tr.T("demo.errors_sees")),
			chip(tr.T("demo.chanting"), tr.T("demo.chanting_sees")),
			chip(tr.T("demo.counting_chant"), tr.T("demo.counting_chant_sees")),
			chip(tr.T("demo.repeated_answer"), tr.T("demo.repeated_answer_sees")),
			chip(tr.T("demo.forgetting"), tr.T("demo.forgetting_sees")),
			chip(tr.T("demo.judge_loop"), tr.T("demo.judge_loop_sees")),
			chip(tr.T("demo.timeout"), tr.T("demo.timeout_sees")),
		}},
		{Icon: "inbox", Head: tr.T("demo.cards"), Examples: []page.Example{
			chip(tr.T("demo.approval"), tr.T("demo.approval_sees")),
			chip(tr.T("demo.critical"), tr.T("demo.critical_sees")),
			chip(tr.T("demo.files"), tr.T("demo.files_sees")),
			chip(tr.T("demo.edit"), tr.T("demo.edit_sees")),
			chip(tr.T("demo.long_output"), tr.T("demo.long_output_sees")),
			chip(tr.T("demo.question"), tr.T("demo.question_sees")),
			chip(tr.T("demo.choose"), tr.T("demo.choose_sees")),
			chip(tr.T("demo.draft"), tr.T("demo.draft_sees")),
			chip(tr.T("demo.takeover"), tr.T("demo.takeover_sees")),
			chip(tr.T("demo.budget"), tr.T("demo.budget_sees")),
		}},
		{Icon: "users", Head: tr.T("demo.agents"), Examples: []page.Example{
			chip(tr.T("demo.survey"), tr.T("demo.survey_sees")),
			chip(tr.T("demo.commission"), tr.T("demo.commission_sees")),
			chip(tr.T("demo.dispatch"), tr.T("demo.dispatch_sees")),
			chip(tr.T("demo.contrast"), tr.T("demo.contrast_sees")),
		}},
		{Icon: "retry", Head: tr.T("demo.failures"), Examples: []page.Example{
			chip(tr.T("demo.retry"), tr.T("demo.retry_sees")),
			chip(tr.T("demo.broken_chain"), tr.T("demo.broken_chain_sees")),
			chip(tr.T("demo.compaction"), tr.T("demo.compaction_sees")),
			chip(tr.T("demo.provider_error"), tr.T("demo.provider_error_sees")),
		}},
	}
}

// chip is an example that says what will be seen.
func chip(prompt, sees string) page.Example {
	return page.Example{Head: prompt, Text: sees, Prompt: prompt}
}
