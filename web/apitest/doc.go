// Package apitest holds the server to its own description. A Checker is an
// http.RoundTripper for tests: it reads /api/openapi.json from the server it
// talks to, and turns every answer that is not described into an error. It also
// remembers what was sent, so that a whole test suite can list what is described
// and never sent.
//
// Only tests import it. It must not import the server, whose answers it judges.
package apitest
