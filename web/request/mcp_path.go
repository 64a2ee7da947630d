package request

// MCPPath is where other agents connect to.
const MCPPath = "/mcp"
