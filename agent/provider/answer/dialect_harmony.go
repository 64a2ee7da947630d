package answer

import (
	"regexp"
	"strings"

	"fusebox/agent"
)

// The parts of a message of Harmony: who it is for, what it is, and where it ends. Some
// servers leave the tokens between them out.
var (
	harmonyHeader  = regexp.MustCompile(`^(?:<\|start\|>)?\s*(?:assistant)?(?:\s*to=[^\s<]+)?\s*(?:<\|channel\|>\s*(?:analysis|commentary|final)(?:\s*to=[^\s<]+)?)?\s*(?:<\|constrain\|>)?\s*\w*\s*$`)
	harmonyTo      = regexp.MustCompile(`\bto=([^\s<]+)`)
	harmonyChannel = regexp.MustCompile(`<\|channel\|>\s*(\w+)`)
	harmonyEnd     = regexp.MustCompile(`<\|(?:end|call|return)\|>|<\|start\|>`)
	harmonyBare    = regexp.MustCompile(`^(?:assistant)?commentary to=([^\s{]+)\s*(?:json|code)?\s*`)
)

// readHarmony reads messages one behind the other. One for a tool is a call; the channel of
// any other says whether it is a thought.
func readHarmony(text string, _ bool, _ offer) (all reading, ok bool) {
	if m := harmonyBare.FindStringSubmatch(text); m != nil {
		args := text[len(m[0]):]
		r, _ := one(m[1], args)
		return r, IsObject(args)
	}
	for rest := text; rest != ""; {
		header, body, found := strings.Cut(rest, "<|message|>")
		if !found || !harmonyHeader.MatchString(header) || len(all.calls) > maxCalls {
			return reading{}, false
		}
		if rest, ok = all.message(header, body); !ok {
			return reading{}, false
		}
	}
	return all, true
}

// endsMessage reports whether a text begins with what ends a message.
func endsMessage(text string) bool {
	end := harmonyEnd.FindStringIndex(text)
	return end != nil && end[0] == 0
}

// message adds a message, and returns what is behind it.
func (r *reading) message(header, body string) (tail string, ok bool) {
	if to := harmonyTo.FindStringSubmatch(header); to != nil {
		args, tail, ok := jsonAhead(body)
		tail = strings.TrimSpace(tail)
		if !ok || !IsObject(string(args)) || tail != "" && !endsMessage(tail) {
			return "", false
		}
		r.calls = append(r.calls, agent.CallRequest{Name: to[1], Arguments: string(args)})
		return behindEnd(tail, 0), true
	}
	at := len(body)
	if end := harmonyEnd.FindStringIndex(body); end != nil {
		at = end[0]
	}
	if channel := harmonyChannel.FindStringSubmatch(header); channel != nil && channel[1] == "analysis" {
		r.thought += body[:at]
	} else {
		r.text += body[:at]
	}
	return behindEnd(body, at), true
}

// behindEnd is what follows the token at a place that ends a message; the one that begins
// the next belongs to that.
func behindEnd(text string, at int) string {
	rest := text[at:]
	if end := harmonyEnd.FindString(rest); end != "<|start|>" {
		rest = rest[len(end):]
	}
	return strings.TrimSpace(rest)
}
