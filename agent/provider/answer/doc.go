// Package answer puts a model's answer together. An Accumulator reads chunks
// and turns them into deltas and, at the end, into a completion of just these
// deltas. An Output takes the deltas to the caller's sink.
//
//	accumulate.go, finish.go   chunks into deltas and a completion, and how it ends
//	call.go, arguments.go      which call a fragment belongs to, and what it says
//	think.go                   reasoning in the text
//	markup.go, dialect*.go     calls in the text; quoted text is none
//	offer.go                   the tools that they can mean
//	output.go                  buffering, noting what was shown, typing out
//	bill.go                    what an answer took, and the limits of that
//
// It imports agent and agent/provider/wire. It must not import agent/provider,
// and knows neither endpoints nor requests.
package answer
