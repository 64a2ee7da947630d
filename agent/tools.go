package agent

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// Toolbox is the set of tools a run may use.
type Toolbox interface {
	// Specs lists all tools in a fixed order.
	Specs() []ToolSpec
	Lookup(name string) (ToolSpec, bool)
	// Validate checks raw argument text against the tool's schema and returns
	// it as JSON, always an object ("" and null become {}). Its errors have code
	// Invalid with one FieldError per problem; NotFound for an unknown tool.
	Validate(name, args string) (json.RawMessage, error)
	// Execute runs the tool. It always returns a result: timeouts, panics and
	// unknown tools become error results. Cancelling ctx ends it promptly.
	Execute(ctx context.Context, name string, in ToolInput) ToolResult
	// Outcome asks a tool what became of an execution that was cut off, by its
	// idempotency key, after it has ended what is left of it; false where the tool
	// cannot say.
	Outcome(ctx context.Context, name string, in ToolInput) (ToolResult, bool)
	// Evidence is what a reviewer must see of a call before it runs.
	Evidence(name string, in ToolInput) ToolEvidence
}

// ToolServerState says what a server of tools is doing.
type ToolServerState string

// The states of servers.
const (
	ServerStarting ToolServerState = "starting"
	ServerReady    ToolServerState = "ready"
	ServerFailed   ToolServerState = "failed"
	// ServerChanged is ready, but some tools are held back until an admin has seen how they changed.
	ServerChanged ToolServerState = "changed"
	ServerOff     ToolServerState = "off"
)

// ToolServer is an MCP server as people see it.
type ToolServer struct {
	Name      string          `json:"name"`
	Transport string          `json:"transport"`
	State     ToolServerState `json:"state"`
	// Problem says what is wrong with it.
	Problem string       `json:"problem,omitempty"`
	Tools   []ServerTool `json:"tools"`
	// Seen names what Tools hold back, for an acceptance of exactly that; "" for nothing.
	Seen string `json:"seen,omitempty"`
	// Runs is the command, or the address, without anything secret.
	Runs string `json:"runs"`
	// Walls says what keeps a command from the rest of the machine, and Network that it
	// may connect to others; nil for a server elsewhere.
	Walls   *Walls `json:"walls,omitempty"`
	Network bool   `json:"network,omitempty"`
	// Read and Write are the folders that a command may use besides the system's.
	Read  []string `json:"read,omitempty"`
	Write []string `json:"write,omitempty"`
}

// ServerTool is one tool of a server.
type ServerTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters,omitempty"`
	Claims      json.RawMessage `json:"claims,omitempty"`
	// Instructions marks the server's instructions for all its tools, listed like a tool.
	Instructions bool `json:"instructions,omitempty"`
	// Held says that the tool is not offered until an admin accepts it; Was is what it
	// was when it was accepted, nil for a new one.
	Held bool       `json:"held,omitempty"`
	Was  *KnownTool `json:"was,omitempty"`
}

// LeftOutTool is a tool that a model is not offered, because its endpoint has refused it.
type LeftOutTool struct {
	Model, Tool string
	// Why is what the endpoint said.
	Why string
	At  time.Time
}

// SourceSeparator is between the names of a source and of its tool in the tool's name here.
// No other tool's name has it, no source's name contains it or ends with a part of it, and so
// no two sources can make the same name.
const SourceSeparator = "__"

// SourceOf is the MCP server or service that a tool's name begins with, "" for none.
func SourceOf(tool string) string {
	if source, _, found := strings.Cut(tool, SourceSeparator); found {
		return source
	}
	return ""
}

// KnownTool is a tool from outside as it was accepted.
type KnownTool struct {
	// Source is as in ToolSpec; Name is the one that the source has for it.
	Source      string          `json:"-"`
	Name        string          `json:"-"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	// Claims are its annotations, as the source wrote them.
	Claims     json.RawMessage `json:"claims,omitempty"`
	AcceptedBy string          `json:"acceptedBy"` // System for what came with the configuration
	AcceptedAt time.Time       `json:"acceptedAt"`
}

// Fingerprint is the same for as long as nothing of the tool changes that a model or a
// reviewer goes by.
func (t KnownTool) Fingerprint() string {
	h := sha256.New()
	for _, field := range []string{t.Source, t.Name, t.Description, string(t.Parameters), string(t.Claims)} {
		sum := sha256.Sum256([]byte(field))
		_, _ = h.Write(sum[:]) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// ServerEmpty is a service whose document nobody has uploaded yet.
const ServerEmpty ToolServerState = "empty"

// OpenAPISource is a service that is described by an OpenAPI document, as people see it.
type OpenAPISource struct {
	Name string `json:"name"`
	// URL is the base address of its operations.
	URL   string          `json:"url"`
	State ToolServerState `json:"state"`
	// Problem says what is wrong with it.
	Problem string `json:"problem,omitempty"`
	// Title and Version are the document's own; Document is the name of its file.
	Title    string `json:"title,omitempty"`
	Version  string `json:"version,omitempty"`
	Document string `json:"document,omitempty"`
	// Uploads says that admins upload the document; UploadedBy and UploadedAt say who did, and when.
	Uploads    bool         `json:"uploads"`
	UploadedBy string       `json:"uploadedBy,omitempty"`
	UploadedAt time.Time    `json:"uploadedAt,omitzero"`
	Tools      []ServerTool `json:"tools"`
	// LeftOut are the operations that are not offered.
	LeftOut []LeftOut `json:"leftOut"`
	// Seen names what Tools hold back, for an acceptance of exactly that; "" for nothing.
	Seen string `json:"seen,omitempty"`
}

// LeftOut is an operation that cannot be a tool, and why.
type LeftOut struct {
	Operation string `json:"operation"`
	Why       string `json:"why"`
}

// MaxOpenAPIDocument bounds a document, in bytes.
const MaxOpenAPIDocument = 4 << 20

// OpenAPIDocument is a document that an admin has uploaded.
type OpenAPIDocument struct {
	Source     string // the name of the configured entry
	Name       string // of the file
	Body       []byte
	UploadedBy string
	UploadedAt time.Time
}

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

// The sets of the built-in tools. The tools of each source from outside are a set, with the
// name of the source.
const (
	CoreTools  = "core" // of every conversation
	FileTools  = "files"
	ShellTools = "shell"
	WebTools   = "web"
	// MemoryTools are the tools of the person's memory, offered while it is switched on.
	MemoryTools = "memory"
	// DocumentTools search the person's documents.
	DocumentTools = "documents"
)

// FindToolsTool is the tool with which the model gets further tools into view.
const FindToolsTool = "find_tools"

// maxToolSets and maxToolSetName bound what a conversation chooses.
const (
	maxToolSets    = 200
	maxToolSetName = 200
)

// SetName is the set that the tool belongs to.
func (s ToolSpec) SetName() string { return cmp.Or(s.Set, s.Source) }

// Chooses reports whether the conversation's runs have a set of tools.
func (c Conversation) Chooses(set string) bool {
	return len(c.ToolSets) == 0 || set == CoreTools || slices.Contains(c.ToolSets, set)
}

// ToolSets are the sets of tools that a person of this role may use, in the tools' order.
func ToolSets(specs []ToolSpec, role Role) []string {
	var sets []string
	for _, s := range specs {
		if name := s.SetName(); s.MayBeUsedBy(role) && !slices.Contains(sets, name) {
			sets = append(sets, name)
		}
	}
	return sets
}

// CheckToolSets checks what a conversation chooses of sets that there are. What it had
// before it may keep: a source may be away for a while.
func CheckToolSets(chosen, there, before []string) error {
	if len(chosen) > maxToolSets {
		return InvalidField("toolSets", "has %d names; at most %d are allowed", len(chosen), maxToolSets)
	}
	for i, name := range chosen {
		switch {
		case slices.Contains(chosen[:i], name):
			return InvalidField("toolSets", "has %q twice", Clip(name, maxToolSetName))
		case !slices.Contains(there, name) && !slices.Contains(before, name):
			return InvalidField("toolSets", "has no set %q; there are: %s", Clip(name, maxToolSetName), strings.Join(there, ", "))
		}
	}
	return nil
}
