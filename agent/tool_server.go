package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"
	"time"
)

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
