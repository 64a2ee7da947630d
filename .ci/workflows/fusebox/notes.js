// The tool that appends a line, as an MCP server.
import { appendFileSync } from "node:fs";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { z } from "zod";

const server = new McpServer({ name: "notes", version: "1.0.0" });
server.registerTool("append_line", { description: "Appends a line to the file of notes.", inputSchema: { line: z.string() } }, ({ line }) => {
  appendFileSync(process.env.EFFECTS, `${line}\n`);
  return { content: [{ type: "text", text: "appended" }] };
});
await server.connect(new StdioServerTransport());
