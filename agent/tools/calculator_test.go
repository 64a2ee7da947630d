package tools

import (
	"encoding/json"
	"strings"
	"testing"

	"fusebox/agent"
)

func TestCalculator(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	for expression, want := range map[string]string{
		"12*(3+4)": "84", "2^10": "1024", "2**3": "8", "7/2": "3.5", "7 % 4": "3", "-3+1": "-2", "sqrt(2)^2": "2.0000000000000004",
		"0.1+0.2": "0.30000000000000004", "max(3, 5)": "5", "round(2.6)": "3", "12×（3＋4）": "", "3÷2": "1.5", "pi": "3.141592653589793",
		"9007199254740993+0": "9007199254740993", "2^64": "18446744073709551616", "2^-1": "0.5", "6/3": "2", "-7 % 3": "-1", "7.5 % 2": "1.5", "-2^2": "-4", "min(3, 1, 2)": "1", "abs(-5)": "5", "-(2)": "-2", "1 + -1.5": "-0.5", "e": "2.718281828459045", "log10(1000)": "3", "pow(2, 3)": "8", "9999999999*9999999999": "99999999980000000001", "1e3": "1000",
		"1/0": "", "0/0": "", "sqrt(-1)": "", "1 == 1": "", `"a"+"b"`: "", "[1,2,3]": "", "1..1000000000": "", "nope(1)": "", "x": "", "": "",
		"10^400": "1" + strings.Repeat("0", 400), "10.0^400": "", "2^9999999999": "", "(2^4000)^4000": "", "1%0": "", "mod(1,0)": "", "sqrt": "", "20000000000000000000+1": "", "sqrt+1": "", "sqrt()": "", "pi.x": "", "nil": "", "true": "", "$env": "", "1 ? 2 : 3": "", strings.Repeat("(", 400) + "1": "", "map(1..3, # * 2)": "", `let a = 1; a`: "",
	} {
		res := run(t.Context(), r, "calculator", map[string]any{"expression": expression})
		var got struct{ Result json.Number }
		d := json.NewDecoder(strings.NewReader(res.Content))
		if want == "" {
			if res.ErrorType == "" {
				t.Errorf("%q gave %s", expression, res.Content)
			}
			continue
		}
		if err := d.Decode(&got); err != nil || got.Result.String() != want {
			t.Errorf("%q gave %s %s, want %s", expression, res.Content, res.ErrorType, want)
		}
	}
}

func TestCalculatorSaysWhy(t *testing.T) {
	t.Parallel()
	r, _ := kit(t)
	for expression, why := range map[string]string{
		"1/0": "division by zero", "7 % 0": "division by zero", "sqrt(-1)": "not defined", "10.0^400": "too large",
		"20000000000000000000+1": "too many digits", "1 == 1": "not arithmetic", "sqrt + 1": "only numbers",
	} {
		res := run(t.Context(), r, "calculator", map[string]any{"expression": expression})
		if res.ErrorType != agent.ErrExecution || !strings.Contains(res.Content, why) || strings.Contains(res.Content, "\n") {
			t.Errorf("%s: %+v", expression, res)
		}
	}
}
