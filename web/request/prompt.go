package request

import "fusebox/agent"

// NamedPrompt checks that a request says which prompt of which server it wants. Its error
// has the field's name.
func NamedPrompt(server, name string) error {
	switch {
	case server == "":
		return agent.InvalidField("server", "is missing; name the MCP server that offers the prompt")
	case name == "":
		return agent.InvalidField("name", "is missing; name a prompt of the server")
	}
	return nil
}
