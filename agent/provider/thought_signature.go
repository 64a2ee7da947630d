package provider

import "encoding/json"

// thoughtSignatures is what a message takes along for later requests to where it was
// made: agent.Message.Data.
type thoughtSignatures struct {
	// From is the endpoint and its family: where reasoning may go back to.
	From string `json:"from"`
	// SignedBy is the endpoint and the model: where signatures may go back to.
	SignedBy string `json:"signedBy,omitempty"`
	// Signatures are the extra contents of the calls, by their position, Message is
	// that of the message itself.
	Signatures map[int]json.RawMessage `json:"signatures,omitempty"`
	Message    json.RawMessage         `json:"message,omitempty"`
}

// readSignatures reads a message's data; data that does not decode is none.
func readSignatures(data json.RawMessage) thoughtSignatures {
	var c thoughtSignatures
	if len(data) > 0 && json.Unmarshal(data, &c) != nil {
		return thoughtSignatures{}
	}
	return c
}

// by returns the signatures of an endpoint and model, none where another one made them.
func (c thoughtSignatures) by(signer string) thoughtSignatures {
	if c.SignedBy == "" || c.SignedBy != signer {
		return thoughtSignatures{}
	}
	return c
}

func (c thoughtSignatures) signature(call int) json.RawMessage { return c.Signatures[call] }

// encode writes what is to be carried; nil where there is nothing to go back.
func (c thoughtSignatures) encode(reasoning string) json.RawMessage {
	if reasoning == "" && len(c.Signatures) == 0 && len(c.Message) == 0 {
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
