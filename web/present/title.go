package present

import (
	"fusebox/agent"
	"fusebox/views/part"
)

// title shows what the conversation is called now, wherever its page says so.
func (p *Presenter) title(d agent.TitleEvent) {
	title := d.Title
	if title == "" {
		title = p.Text.T("page.chat.untitled")
	}
	p.replace("chat-name", part.ChatName(title))
	p.replace("open-title", part.OpenTitle(title))
	p.replace("chat-title", part.TitleField(title))
}
