package provider

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"

	"github.com/openai/openai-go/v3"

	"fusebox/agent"
	"fusebox/agent/provider/wire"
)

// The bounds of an answer with vectors.
const (
	maxVectorsBody = 64 << 20
	maxDimension   = 8192
)

// Embed implements agent.Embedder. There is no chain: the vectors of two models have nothing
// to do with each other.
func (r *Router) Embed(ctx context.Context, req agent.EmbeddingRequest) (agent.Embedding, error) {
	k := r.route(req.Model)
	req.Model = k.model
	return k.p.Embed(ctx, req)
}

// Embed implements agent.Embedder.
func (p *Provider) Embed(ctx context.Context, req agent.EmbeddingRequest) (agent.Embedding, error) {
	for n := 1; ; n++ {
		e, err := p.tryEmbed(ctx, req)
		if err == nil {
			return e, nil
		}
		if ctx.Err() != nil {
			return agent.Embedding{}, context.Cause(ctx)
		}
		var f *wire.Failure
		if !errors.As(err, &f) {
			f = transportFailure(err)
		}
		f = p.secrets.Polish(f)
		if req.Once || !f.Retryable || f.After > longestWait || n > p.retries.Max {
			return agent.Embedding{}, p.giveUp(f, n)
		}
		d := p.retries.wait(n, f.After, p.rand())
		p.log.WarnContext(ctx, "embedding failed, trying again", "attempt", n, "max_attempts", p.retries.Max, "delay_ms", d.Milliseconds(), "status", f.Status, "error", f.Error())
		if err := p.waiting(ctx)(d); err != nil {
			return agent.Embedding{}, err
		}
	}
}

func (p *Provider) tryEmbed(ctx context.Context, req agent.EmbeddingRequest) (agent.Embedding, error) {
	ctx, cancel := agent.WithTimeout(ctx, p.clock, p.idle, errIdle)
	defer cancel()
	raw, err := p.fetchVectors(ctx, req)
	if errors.Is(context.Cause(ctx), errIdle) {
		return agent.Embedding{}, &wire.Failure{Retryable: true, Said: "did not answer in time", Err: errIdle}
	}
	if err != nil {
		return agent.Embedding{}, err
	}
	e, err := readVectors(raw, len(req.Texts))
	e.Provider = p.name
	if e.Usage.InputTokens == 0 {
		e.Usage.Estimated = true
		for _, text := range req.Texts {
			e.Usage.InputTokens += p.tokens.count(text)
		}
	}
	return e, err
}

// fetchVectors returns the body of an answer. The form of the vectors is left to the
// endpoint: not every one knows that it can be asked for.
func (p *Provider) fetchVectors(ctx context.Context, req agent.EmbeddingRequest) ([]byte, error) {
	var res *http.Response
	if err := p.post(ctx, "embeddings", openai.EmbeddingNewParams{
		Model: req.Model, Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: req.Texts},
	}, &res); err != nil {
		return nil, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(io.LimitReader(res.Body, maxVectorsBody+1))
	if err != nil {
		return nil, wire.ReadFailure(err)
	}
	if len(raw) > maxVectorsBody {
		return nil, &wire.Failure{Said: "sent more than an answer may hold"}
	}
	return raw, nil
}

// vector is written as numbers, or as float32 in base64, little endian.
type vector []float32

// UnmarshalJSON implements json.Unmarshaler.
func (v *vector) UnmarshalJSON(raw []byte) error {
	var encoded string
	if json.Unmarshal(raw, &encoded) != nil {
		return json.Unmarshal(raw, (*[]float32)(v))
	}
	b, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		return err
	}
	if len(b)%4 != 0 {
		return errors.New("a vector is not made of whole numbers of 32 bits")
	}
	*v = make(vector, len(b)/4)
	for i := range *v {
		(*v)[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return nil
}

// readVectors reads as many vectors as texts were sent, and puts them in their order.
func readVectors(raw []byte, texts int) (agent.Embedding, error) {
	var answer struct {
		Data []struct {
			Index     *int   `json:"index"`
			Embedding vector `json:"embedding"`
		} `json:"data"`
		Usage struct {
			Prompt wire.Count `json:"prompt_tokens"`
			Total  wire.Count `json:"total_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(raw, &answer); err != nil {
		return agent.Embedding{}, &wire.Failure{Said: "sent something else than vectors; the model may be none of embeddings", Err: err}
	}
	if len(answer.Data) != texts {
		return agent.Embedding{}, &wire.Failure{Said: "sent another number of vectors than of texts"}
	}
	e := agent.Embedding{Vectors: make([][]float32, texts)}
	e.Usage.InputTokens = int64(max(answer.Usage.Prompt, answer.Usage.Total))
	for i, d := range answer.Data {
		at := i
		if d.Index != nil {
			at = *d.Index
		}
		if at < 0 || at >= texts || e.Vectors[at] != nil {
			return agent.Embedding{}, &wire.Failure{Said: "sent vectors that do not say of which text they are"}
		}
		if n := len(d.Embedding); n == 0 || n > maxDimension || n != len(answer.Data[0].Embedding) {
			return agent.Embedding{}, &wire.Failure{Said: "sent vectors of lengths that cannot be used"}
		}
		if !pointsSomewhere(d.Embedding) {
			return agent.Embedding{}, &wire.Failure{Said: "sent a vector that is zero, or contains values that are not numbers"}
		}
		e.Vectors[at] = d.Embedding
	}
	return e, nil
}

func pointsSomewhere(v vector) bool {
	var sum float64
	for _, p := range v {
		sum += float64(p) * float64(p)
	}
	return sum > 0 && !math.IsInf(sum, 0) && !math.IsNaN(sum)
}
