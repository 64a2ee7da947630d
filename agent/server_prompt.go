package agent

// ServerPrompt is a message that an MCP server offers to people, with what it has to be
// told for it.
type ServerPrompt struct {
	Server      string           `json:"server"`
	Name        string           `json:"name"`
	Title       string           `json:"title,omitempty"`
	Description string           `json:"description,omitempty"`
	Arguments   []PromptArgument `json:"arguments"`
}

// PromptArgument is one thing that a prompt is told.
type PromptArgument struct {
	Name        string `json:"name"`
	Title       string `json:"title,omitempty"`
	Description string `json:"description,omitempty"`
	Required    bool   `json:"required"`
}

// ServerPrompts are the prompts of all servers that a person may use.
type ServerPrompts struct {
	Items []ServerPrompt `json:"items"`
	// Silent are the servers that did not say in time what they offer.
	Silent []string `json:"silent,omitempty"`
}
