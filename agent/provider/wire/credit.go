package wire

import (
	"net/http"
	"slices"
	"strings"
)

// billingCodes are the beginnings of codes and types that say that there is no
// credit left.
var billingCodes = []string{
	"insufficient_quota", "billing_", "credit_balance", "insufficient_balance", "insufficient_credit", "insufficient_funds",
	"exceeded_current_quota", "arrearage", "accountoverdue", "payment_required", "spend_limit", "spending_limit",
}

// billingPhrases are how endpoints say in a text that there is no credit left. The
// mere word quota is none of them: it is in many texts about rates.
var billingPhrases = []string{
	"exceeded your current quota", "insufficient quota", "insufficient_quota", "check your plan and billing", "billing hard limit",
	"billing details", "billing limit", "spending limit", "spend limit", "free allocated quota exceeded", "account is in arrears",
	"overdue balance", "overdue payment", "payment required", "recharge your account", "top up your account", "add more credits",
	"余额不足", "欠费", "请充值", "额度已用", "额度不足",
}

// creditWords and spentWords say together that there is no credit left.
var (
	creditWords = []string{"credit", "credits", "balance", "funds"}
	spentWords  = []string{
		"insufficient", "not enough", "depleted", "exhausted", "used up", "used all", "run out", "ran out", "out of", "too low", "exceeded", "no remaining", "no credit", "no more", "negative", "not sufficient",
	}
)

// soonWords tell that waiting helps: such an error is about a rate.
var soonWords = []string{"retry in", "try again in", "retry after", "per minute", "per second", "per hour"}

// outOfCredit reports whether an error says that there is no credit left: by a
// code, or where a request was refused, in its text.
func (e APIError) outOfCredit(status int) bool {
	for _, c := range e.Codes {
		if slices.ContainsFunc(billingCodes, func(b string) bool { return strings.HasPrefix(c, b) }) {
			return true
		}
	}
	text := strings.ToLower(e.Text)
	in := func(w string) bool { return strings.Contains(text, w) }
	if status >= http.StatusInternalServerError || slices.ContainsFunc(soonWords, in) {
		return false
	}
	return slices.ContainsFunc(billingPhrases, in) || slices.ContainsFunc(creditWords, e.says) && slices.ContainsFunc(spentWords, in)
}

// says reports whether a word stands in the text, and not as a part of another one.
func (e APIError) says(word string) bool {
	return slices.Contains(strings.FieldsFunc(strings.ToLower(e.Text), func(r rune) bool { return r < 'a' || r > 'z' }), word)
}

// OutOfCredit reports whether an endpoint wants to be paid before it answers.
func (f *Failure) OutOfCredit() bool {
	return f.Status == http.StatusPaymentRequired || f.API.outOfCredit(f.Status)
}
