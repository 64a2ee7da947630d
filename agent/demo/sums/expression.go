// Package sums finds calculations in English and Chinese sentences, in digits and in words.
package sums

import (
	"regexp"
	"strings"
)

var (
	expression = regexp.MustCompile(`(?:sqrt\(|[-+(])*[0-9.](?:sqrt\(|[0-9.+\-*/%^() ])*`)
	date       = regexp.MustCompile(`^\d{1,4}[-/]\d{1,2}[-/]\d{1,4}$`)
	operation  = regexp.MustCompile(`sqrt\([0-9.]|[0-9)] *[-+*/%^]+ *(?:sqrt\(|[(\-+])*[0-9.]`)
)

// maxExpression bounds, in bytes, what is taken for a calculation.
const maxExpression = 200

// Expression is the longest run of digits and signs of a text that computes something, ""
// if there is none.
func Expression(text string) string {
	longest := ""
	for _, found := range expression.FindAllString(spellOut(text), -1) {
		found = strings.TrimRight(strings.TrimSpace(found), "+-*/%^(. ")
		if len(found) > len(longest) && len(found) <= maxExpression && operation.MatchString(found) && !date.MatchString(found) {
			longest = found
		}
	}
	return balance(longest)
}

// balance drops closing brackets that belong to the sentence around.
func balance(expr string) string {
	for strings.HasSuffix(expr, ")") && strings.Count(expr, ")") > strings.Count(expr, "(") {
		expr = strings.TrimSpace(strings.TrimSuffix(expr, ")"))
	}
	return expr
}
