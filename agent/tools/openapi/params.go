package openapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// ownHeaders are set by the server, or by proxies between it and the service. The first three
// are not parameters by OpenAPI's own word.
var ownHeaders = []string{
	"Accept", "Content-Type", "Authorization", "Host", "Cookie", "Connection", "Content-Length", "Transfer-Encoding", "Te", "Trailer", "Upgrade",
	"Expect", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto",
}

// addParams adds the parameters of the path and of the operation, which take the place of
// those of the path.
func (o operation) addParams(p *plan, args *arguments) (why string) {
	for _, in := range o.params() {
		if why := unusable(in); why != "" {
			if in.Required {
				return "its parameter " + in.Name + " " + why
			}
			continue // it can do without
		}
		if in.In == openapi3.ParameterInHeader && slices.Contains(ownHeaders, http.CanonicalHeaderKey(in.Name)) {
			continue
		}
		schema, why := o.schemas.convert(in.Schema)
		if why != "" {
			return why
		}
		explode := in.In == openapi3.ParameterInQuery && (in.Explode == nil || *in.Explode) // each value of a list is a parameter of its own
		arg := args.free(in.Name, in.In)
		args.add(arg, schema, in.Description, in.Required)
		p.Params = append(p.Params, param{Arg: arg, Name: in.Name, In: in.In, Explode: explode})
	}
	return ""
}

// params are all parameters, those of the path first.
func (o operation) params() []*openapi3.Parameter {
	var all []*openapi3.Parameter
	for _, list := range []openapi3.Parameters{o.item.Parameters, o.Parameters} {
		for _, ref := range list {
			all = slices.DeleteFunc(all, func(old *openapi3.Parameter) bool { return old.Name == ref.Value.Name && old.In == ref.Value.In })
			all = append(all, ref.Value)
		}
	}
	return all
}

// unusable says why a parameter cannot be sent, "" where it can.
func unusable(p *openapi3.Parameter) string {
	usual := "simple"
	switch p.In {
	case openapi3.ParameterInQuery:
		usual = "form"
	case openapi3.ParameterInCookie:
		return "is a cookie, which cannot be sent"
	}
	switch {
	case p.Style != "" && p.Style != usual:
		return "has the style " + p.Style + "; only " + usual + " can be sent in the " + p.In
	case p.Schema == nil:
		return "has a content instead of a schema, which cannot be sent"
	case !flat(p.Schema.Value):
		return "is an object; only single values and lists of them can be sent in the " + p.In
	}
	return ""
}

// flat reports whether a value of a schema is a single value, or a list of them.
func flat(s *openapi3.Schema) bool {
	if s == nil {
		return true
	}
	if s.Type.Includes("object") || len(s.Properties) > 0 {
		return false
	}
	if s.Type.Includes("array") && s.Items != nil && s.Items.Value != nil {
		item := s.Items.Value
		return !item.Type.Includes("array") && !item.Type.Includes("object") && len(item.Properties) == 0
	}
	return true
}

// plainArg makes the name of an argument out of one that endpoints may not take.
func plainArg(name string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' || r == '.' {
			return r
		}
		return '_'
	}, name)
	return plain[:min(len(plain), maxArgName)]
}

// maxArgName is the longest name of an argument that endpoints take.
const maxArgName = 64
