package provider

import (
	"testing"

	"fusebox/agent/provider/streamtest"
)

// TestCostsThatEndpointsName: in micro-USD, under the names that there are; nonsense is none.
func TestCostsThatEndpointsName(t *testing.T) {
	t.Parallel()
	for usage, want := range map[string]int64{
		`"cost":0.00095,"is_byok":false,"cost_details":{"upstream_inference_cost":null}`: 950,
		`"cost":"0.00095"`: 950,
		`"cost":9.5e-4`:    950,
		`"cost":0.00005,"is_byok":true,"cost_details":{"upstream_inference_cost":0.0009}`:  950,
		`"cost":0,"is_byok":true,"cost_details":{"upstream_inference_cost":0.00095}`:       950,
		`"cost":0.00095,"is_byok":false,"cost_details":{"upstream_inference_cost":0.0009}`: 950,
		`"total_cost":0.00095`:     950,
		`"estimated_cost":0.00095`: 950,
		`"cost":{"input_tokens_cost":0.0004,"output_tokens_cost":0.00055,"total_cost":0.00095}`: 950,
		`"cost_details":{"total_cost":0.00095}`:                                                 950,

		`"x":1`:               0,
		`"cost":0`:            0,
		`"cost":null`:         0,
		`"cost":-0.5`:         0,
		`"cost":"NaN"`:        0,
		`"cost":"Infinity"`:   0,
		`"cost":1e300`:        0,
		`"cost":5000`:         0,
		`"cost":"free"`:       0,
		`"cost":[0.1]`:        0,
		`"cost":true`:         0,
		`"cost":0.0000000001`: 0,
	} {
		body := streamtest.SSE(streamtest.Text("Sunny."), streamtest.Finish("stop"), `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":2,`+usage+`}}`, streamtest.Done)
		p, _ := newProvider(t, serve(t, raw(body)).URL)
		got, err := complete(t, p, &watcher{})
		if err != nil || len(got.Spent) != 1 || got.Spent[0].NamedMicros != want || got.Usage.InputTokens != 9 || got.Usage.OutputTokens != 2 {
			t.Errorf("%s: %+v, %v, want %d", usage, got.Spent, err, want)
		}
	}
}

// TestCostsOfSeveralTries: the last figure of a stream counts, and a sum that lacks a try
// is none.
func TestCostsOfSeveralTries(t *testing.T) {
	t.Parallel()
	named := `{"choices":[{"index":0,"delta":{"content":"Sun"}}],"usage":{"prompt_tokens":9,"completion_tokens":2,"cost":0.001}}`
	late := streamtest.SSE(named, streamtest.Finish("stop"), `{"choices":[],"usage":{"prompt_tokens":9,"completion_tokens":3,"cost":0.002}}`, streamtest.Done)
	for name, tc := range map[string]struct {
		first string
		want  int64
	}{
		"cumulative":            {"", 2000},
		"a named try before it": {streamtest.SSE(named), 3000},
		"another one before it": {streamtest.SSE(streamtest.Text("Sun")), 0},
	} {
		srv := serve(t, raw(late))
		if tc.first != "" {
			srv = serve(t, raw(tc.first), raw(late))
		}
		p, clk := newProvider(t, srv.URL)
		got, err := complete(t, p, &watcher{clk: clk})
		if err != nil || len(got.Spent) != 1 || got.Spent[0].NamedMicros != tc.want {
			t.Errorf("%s: %+v, %v, want %d", name, got.Spent, err, tc.want)
		}
	}
}
