// Package money shows what was spent, what may be spent, and what models cost: the pages of
// budgets, spend, and prices, and what people see of their own use. An amount that somebody may
// not see is left out before a page is put together.
package money
