package history

import "encoding/json"

// Signatures is what a message takes along for later requests to where it was
// made: agent.Message.Data.
type Signatures struct {
	// From is the endpoint and its family: where reasoning may go back to.
	From string `json:"from"`
	// SignedBy is the endpoint and the model: where signatures may go back to.
	SignedBy string `json:"signedBy,omitempty"`
	// Calls are the extra contents of the calls, by their position, Message is
	// that of the message itself.
	Calls   map[int]json.RawMessage `json:"signatures,omitempty"`
	Message json.RawMessage         `json:"message,omitempty"`
}

// ReadSignatures reads a message's data; data that does not decode is none.
func ReadSignatures(data json.RawMessage) Signatures {
	var c Signatures
	if len(data) > 0 && json.Unmarshal(data, &c) != nil {
		return Signatures{}
	}
	return c
}

// by returns the signatures of an endpoint and model, none where another one made them.
func (c Signatures) by(signer string) Signatures {
	if c.SignedBy == "" || c.SignedBy != signer {
		return Signatures{}
	}
	return c
}

// Encode writes what is to be carried; nil where there is nothing to go back.
func (c Signatures) Encode(reasoning string) json.RawMessage {
	if reasoning == "" && len(c.Calls) == 0 && len(c.Message) == 0 {
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
