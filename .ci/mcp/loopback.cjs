// Preloaded: a server that listens on all interfaces listens on loopback only.
const { Server } = require("node:net");

const listen = Server.prototype.listen;
Server.prototype.listen = function (port, ...rest) {
  if (typeof port === "number" || typeof port === "string") return listen.call(this, { port: Number(port), host: "127.0.0.1" }, ...rest.filter((a) => typeof a === "function"));
  return listen.call(this, port, ...rest);
};
