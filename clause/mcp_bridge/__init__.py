"""The MCP door: tools and resources over stdio and streamable HTTP; no logic of its own."""
