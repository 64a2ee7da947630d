package telemetry

import (
	"crypto/sha256"
	"time"

	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
)

// traceID and spanID follow from the run, so that a trace that is exported twice
// is the same one.
func traceID(runID string) []byte {
	sum := sha256.Sum256([]byte(runID))
	return sum[:16]
}

func spanID(runID, part string) []byte {
	sum := sha256.Sum256([]byte(runID + "/" + part))
	return sum[:8]
}

// attributes are written down in the order they are added in.
type attributes []*common.KeyValue

// text adds an attribute, unless it is empty.
func (a *attributes) text(key, value string) {
	if value != "" {
		a.add(key, textValue(value))
	}
}

func (a *attributes) number(key string, value int64) {
	a.add(key, &common.AnyValue{Value: &common.AnyValue_IntValue{IntValue: value}})
}

// list adds an attribute with a list of one text.
func (a *attributes) list(key, value string) {
	a.add(key, &common.AnyValue{Value: &common.AnyValue_ArrayValue{ArrayValue: &common.ArrayValue{Values: []*common.AnyValue{textValue(value)}}}})
}

func (a *attributes) add(key string, value *common.AnyValue) {
	*a = append(*a, &common.KeyValue{Key: key, Value: value})
}

func textValue(text string) *common.AnyValue {
	return &common.AnyValue{Value: &common.AnyValue_StringValue{StringValue: clean(text)}}
}

// failed marks a span whose operation did not succeed. The type is a word of
// ours, never a message.
func failed(s *otlp.Span, errorType string) {
	s.Status = &otlp.Status{Code: otlp.Status_STATUS_CODE_ERROR}
	a := attributes(s.Attributes)
	a.text("error.type", errorType)
	s.Attributes = a
}

// nanos is an instant as spans write it.
func nanos(t time.Time) uint64 { return uint64(max(t.UnixNano(), 0)) }
