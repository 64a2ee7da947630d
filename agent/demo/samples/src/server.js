import { createServer } from "node:http";

createServer((request, response) => response.end("Hello from the sample shop.\n")).listen(3000);
