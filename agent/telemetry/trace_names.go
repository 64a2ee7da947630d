package telemetry

// opChat is the operation of a model call, as the conventions name it.
const opChat = "chat"
