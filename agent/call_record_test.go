package agent

import (
	"strings"
	"testing"
)

// TestActs: what looks is told from what may change something; a line that is not plain
// counts as the latter.
func TestActs(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		effect     Effect
		idempotent bool
		args       string
		acts       bool
	}{
		{EffectRead, false, `{}`, false},
		{EffectWrite, true, `{}`, true},
		{EffectUnknown, false, `{}`, true},
		{EffectNetwork, true, `{}`, false},
		{EffectNetwork, false, `{}`, true},
		{EffectExec, false, `{"code":"print(1)"}`, true},
		{EffectExec, false, `not JSON`, true},
		{EffectExec, false, `{"command":""}`, false},
	} {
		if got := acts(ToolCall{Args: tc.args}, ToolSpec{Effect: tc.effect, Idempotent: tc.idempotent}); got != tc.acts {
			t.Errorf("%s %s: %t", tc.effect, tc.args, got)
		}
	}
	for want, lines := range map[bool]string{
		false: `ls
			cat a | grep b | sort -u | wc -l
			cd src && ls -la; pwd
			/usr/bin/head -n 3 f 2>/dev/null
			curl -s http://localhost:80/jobs/7 2>&1 | jq .state
			sleep 5; kubectl get pods -n web
			git log --oneline -3
			find . -name '*.go' -type f
			systemctl is-active web
			squeue -u me`,
		true: `make
			go test ./...
			rm -f a
			ls > list
			cat a >> b
			echo $(rm a)
			cat <(rm a)
			sed -i s/a/b/ f
			find . -delete
			find . -exec rm {} ;
			curl -X POST http://localhost
			curl -sXPOST http://localhost
			curl --data a=b http://localhost
			curl -o f http://localhost
			sort -o f f
			git commit -m x
			git
			kubectl delete pod a
			sudo ls
			ls | xargs rm
			X=1 ls`,
	} {
		for line := range strings.Lines(lines) {
			line = strings.TrimSpace(line)
			if got := !onlyLooks(line); got != want {
				t.Errorf("%q acts: %t", line, got)
			}
		}
	}
}
