package agent

import "time"

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
