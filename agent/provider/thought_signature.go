package provider

import "encoding/json"

// thoughtSignatures is what a message takes along for later requests to where it was
// made: agent.Message.Data.
type thoughtSignatures struct {
	// From is the endpoint and its family.
	From string `json:"from"`
	// Signatures are the extra contents of the calls, by their position.
	Signatures map[int]json.RawMessage `json:"signatures,omitempty"`
}

// readSignatures reads a message's data; data that does not decode is none.
func readSignatures(data json.RawMessage) thoughtSignatures {
	var c thoughtSignatures
	if len(data) > 0 && json.Unmarshal(data, &c) != nil {
		return thoughtSignatures{}
	}
	return c
}

func (c thoughtSignatures) signature(call int) json.RawMessage { return c.Signatures[call] }

// encode writes what is to be carried; nil where there is nothing to go back.
func (c thoughtSignatures) encode(reasoning string) json.RawMessage {
	if reasoning == "" && len(c.Signatures) == 0 {
		return nil
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return nil // a signature that is not JSON is lost; the endpoint says so
	}
	return raw
}

// skipSignature is documented to stand for the signature of a call that the
// endpoint has not made itself.
var skipSignature = json.RawMessage(`{"google":{"thought_signature":"skip_thought_signature_validator"}}`)

func orSkip(sig json.RawMessage) json.RawMessage {
	if sig == nil {
		return skipSignature
	}
	return sig
}
