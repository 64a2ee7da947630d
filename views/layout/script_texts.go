package layout

import (
	"context"

	"fusebox/views/text"
)

// scriptTexts are what the modules in static/js say, in the reader's language. A
// name in braces is filled in by the script.
func scriptTexts(ctx context.Context) map[string]string {
	return map[string]string{
		"justNow":       text.T(ctx, "script.just_now"),
		"copied":        text.T(ctx, "script.copied"),
		"abortSure":     text.T(ctx, "script.abort_sure"),
		"editedArgs":    text.T(ctx, "script.edited_args"),
		"notDecided":    text.T(ctx, "script.not_decided"),
		"noServer":      text.T(ctx, "script.no_server"),
		"notStarted":    text.T(ctx, "script.not_started"),
		"signedOut":     text.T(ctx, "script.signed_out"),
		"notSent":       text.T(ctx, "script.not_sent"),
		"refused":       text.T(ctx, "script.refused", "{reason}"),
		"offline":       text.T(ctx, "script.offline"),
		"notStopped":    text.T(ctx, "script.not_stopped"),
		"answerIt":      text.T(ctx, "script.answer_it"),
		"changed":       text.T(ctx, "script.changed", "{choice}"),
		"menu":          text.T(ctx, "script.menu"),
		"offers":        text.T(ctx, "script.offers", "{count}"),
		"agent":         text.T(ctx, "script.agent"),
		"tool":          text.T(ctx, "script.tool"),
		"prompt":        text.T(ctx, "script.prompt"),
		"document":      text.T(ctx, "script.document"),
		"useTool":       text.T(ctx, "script.use_tool", "{tool}"),
		"model":         text.T(ctx, "script.model"),
		"chooseModel":   text.T(ctx, "page.models.choose"),
		"findModel":     text.T(ctx, "script.find_model"),
		"modelDefault":  text.T(ctx, "script.model_default"),
		"modelPrice":    text.T(ctx, "script.model_price", "{n}"),
		"modelWindow":   text.T(ctx, "script.model_window", "{n}"),
		"modelVision":   text.T(ctx, "script.model_vision"),
		"modelThinking": text.T(ctx, "script.model_thinking"),
		"estimate":      text.T(ctx, "script.estimate", "{tokens}"),
		"rename":        text.T(ctx, "script.rename"),
		"renamed":       text.T(ctx, "script.renamed", "{title}"),
		"notChanged":    text.T(ctx, "script.not_changed"),
		"selectNone":    text.T(ctx, "script.select_none"),
		"selected":      text.T(ctx, "script.selected", "{count}"),
		"doApprove":     text.T(ctx, "script.do_approve", "{count}"),
		"cards":         text.T(ctx, "approval.pager.label"),
		"cardOf":        text.T(ctx, "script.card_of", "{at}", "{count}"),
		"previous":      text.T(ctx, "approval.pager.previous"),
		"next":          text.T(ctx, "approval.pager.next"),
		"openPage":      text.T(ctx, "script.open_page"),
		"openIt":        text.T(ctx, "script.open_it"),
		"cancel":        text.T(ctx, "script.cancel"),
		"doReject":      text.T(ctx, "script.do_reject", "{count}"),
		"notCopied":     text.T(ctx, "script.not_copied"),
		"csv":           text.T(ctx, "markdown.csv"),
		"thanks":        text.T(ctx, "script.thanks"),
		"notHeard":      text.T(ctx, "script.not_heard"),
		"nothingFound":  text.T(ctx, "script.nothing_found"),
	}
}
