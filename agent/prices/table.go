package prices

import (
	"strings"
	"time"

	"fusebox/agent"
)

// Compiled is the day on which the table was put together.
const Compiled = "2026-11-21"

// Where the vendors publish their prices.
const (
	openAI    = "https://openai.com/api/pricing/"
	anthropic = "https://docs.anthropic.com/en/docs/about-claude/pricing"
	deepSeek  = "https://api-docs.deepseek.com/quick_start/pricing"
	qwen      = "https://www.alibabacloud.com/help/en/model-studio/models"
	gemini    = "https://ai.google.dev/gemini-api/docs/pricing"
	mistral   = "https://mistral.ai/pricing"
	xAI       = "https://docs.x.ai/docs/models"
	moonshot  = "https://platform.kimi.ai/docs/pricing/chat"
	groq      = "https://groq.com/pricing"
)

// fact is what some names cost from a day on, in micro-USD per million tokens.
// Names are separated by spaces. A fact without prices says that a name was retired.
type fact struct {
	names, from, source              string
	input, cached, output, reasoning int64
}

// since is for models of which the table does not know the day their price began.
const since = "2026-01-01"

// facts are the list prices of well-known models as their vendors published them
// by the day of Compiled, in USD, without taxes and agreements. An admin can
// override each of them. They are the prices of the usual tier: surcharges for
// long prompts, for writing to a cache, for priority and discounts for batches
// are left out, and if a vendor's prices vary by hour, the higher ones count.
// Azure charges what OpenAI does for the models of the same name. Where a vendor
// names no price for cached input it is that of input. Open weights are here only
// under names that one vendor or host has to itself.
var facts = []fact{
	{"gpt-5.6-sol", since, openAI, 5_000_000, 500_000, 30_000_000, 0},
	{"gpt-5.6-terra", since, openAI, 2_000_000, 200_000, 12_000_000, 0},
	{"gpt-5.6-luna", since, openAI, 200_000, 20_000, 1_200_000, 0},
	{"gpt-5.5", since, openAI, 5_000_000, 500_000, 30_000_000, 0},
	{"gpt-5.4", since, openAI, 2_500_000, 250_000, 15_000_000, 0},
	{"gpt-5.4-mini", since, openAI, 750_000, 75_000, 4_500_000, 0},
	{"gpt-5.4-nano", since, openAI, 200_000, 20_000, 1_250_000, 0},
	{"gpt-5.3-codex", since, openAI, 1_750_000, 175_000, 14_000_000, 0},
	{"gpt-5.2 gpt-5.2-2025-12-11", "2025-12-11", openAI, 1_750_000, 175_000, 14_000_000, 0},
	{"gpt-5.2-codex", since, openAI, 1_750_000, 175_000, 14_000_000, 0},
	{"gpt-5.1 gpt-5.1-2025-11-13", "2025-11-13", openAI, 1_250_000, 125_000, 10_000_000, 0},
	{"gpt-5 gpt-5-2025-08-07", "2025-08-07", openAI, 1_250_000, 125_000, 10_000_000, 0},
	{"gpt-5-mini gpt-5-mini-2025-08-07", "2025-08-07", openAI, 250_000, 25_000, 2_000_000, 0},
	{"gpt-5-nano gpt-5-nano-2025-08-07", "2025-08-07", openAI, 50_000, 5_000, 400_000, 0},
	{"gpt-5-pro gpt-5-pro-2025-10-06", "2025-10-06", openAI, 15_000_000, 15_000_000, 120_000_000, 0},
	{"gpt-4.1 gpt-4.1-2025-04-14", "2025-04-14", openAI, 2_000_000, 500_000, 8_000_000, 0},
	{"gpt-4.1-mini gpt-4.1-mini-2025-04-14", "2025-04-14", openAI, 400_000, 100_000, 1_600_000, 0},
	{"gpt-4.1-nano gpt-4.1-nano-2025-04-14", "2025-04-14", openAI, 100_000, 25_000, 400_000, 0},
	{"gpt-4o gpt-4o-2024-05-13", "2024-05-13", openAI, 5_000_000, 5_000_000, 15_000_000, 0},
	{"gpt-4o", "2024-10-02", openAI, 2_500_000, 1_250_000, 10_000_000, 0},
	{"gpt-4o-2024-08-06", "2024-08-06", openAI, 2_500_000, 1_250_000, 10_000_000, 0},
	{"gpt-4o-2024-11-20", "2024-11-20", openAI, 2_500_000, 1_250_000, 10_000_000, 0},
	{"gpt-4o-mini gpt-4o-mini-2024-07-18", "2024-07-18", openAI, 150_000, 75_000, 600_000, 0},
	{"gpt-4-turbo gpt-4-turbo-2024-04-09", "2024-04-09", openAI, 10_000_000, 10_000_000, 30_000_000, 0},
	{"gpt-4 gpt-4-0613", "2023-06-13", openAI, 30_000_000, 30_000_000, 60_000_000, 0},
	{"gpt-3.5-turbo gpt-3.5-turbo-0125", "2024-02-16", openAI, 500_000, 500_000, 1_500_000, 0},
	{"o1 o1-2024-12-17", "2024-12-17", openAI, 15_000_000, 7_500_000, 60_000_000, 0},
	{"o3-mini o3-mini-2025-01-31", "2025-01-31", openAI, 1_100_000, 550_000, 4_400_000, 0},
	{"o3 o3-2025-04-16", "2025-04-16", openAI, 10_000_000, 2_500_000, 40_000_000, 0},
	{"o3 o3-2025-04-16", "2025-06-10", openAI, 2_000_000, 500_000, 8_000_000, 0},
	{"o3-pro o3-pro-2025-06-10", "2025-06-10", openAI, 20_000_000, 20_000_000, 80_000_000, 0},
	{"o4-mini o4-mini-2025-04-16", "2025-04-16", openAI, 1_100_000, 275_000, 4_400_000, 0},
	{"claude-fable-5", since, anthropic, 10_000_000, 1_000_000, 50_000_000, 0},
	{"claude-opus-5", since, anthropic, 5_000_000, 500_000, 25_000_000, 0},
	{"claude-opus-4-8 claude-opus-4.8", since, anthropic, 5_000_000, 500_000, 25_000_000, 0},
	{"claude-opus-4-7 claude-opus-4.7", since, anthropic, 5_000_000, 500_000, 25_000_000, 0},
	{"claude-opus-4-6 claude-opus-4.6", since, anthropic, 5_000_000, 500_000, 25_000_000, 0},
	{"claude-opus-4-5 claude-opus-4.5 claude-opus-4-5-20251101", "2025-11-24", anthropic, 5_000_000, 500_000, 25_000_000, 0},
	{"claude-opus-4-1 claude-opus-4.1 claude-opus-4-1-20250805", "2025-08-05", anthropic, 15_000_000, 1_500_000, 75_000_000, 0},
	{"claude-opus-4 claude-opus-4-0 claude-opus-4-20250514", "2025-05-22", anthropic, 15_000_000, 1_500_000, 75_000_000, 0},
	{"claude-sonnet-4-6 claude-sonnet-4.6", since, anthropic, 3_000_000, 300_000, 15_000_000, 0},
	{"claude-sonnet-4-5 claude-sonnet-4.5 claude-sonnet-4-5-20250929", "2025-09-29", anthropic, 3_000_000, 300_000, 15_000_000, 0},
	{"claude-sonnet-4 claude-sonnet-4-0 claude-sonnet-4-20250514", "2025-05-22", anthropic, 3_000_000, 300_000, 15_000_000, 0},
	{"claude-3-7-sonnet-latest claude-3.7-sonnet claude-3-7-sonnet-20250219", "2025-02-24", anthropic, 3_000_000, 300_000, 15_000_000, 0},
	{"claude-3-5-sonnet-latest claude-3.5-sonnet claude-3-5-sonnet-20241022", "2024-10-22", anthropic, 3_000_000, 300_000, 15_000_000, 0},
	{"claude-haiku-4-5 claude-haiku-4.5 claude-haiku-4-5-20251001", "2025-10-15", anthropic, 1_000_000, 100_000, 5_000_000, 0},
	{"claude-3-5-haiku-latest claude-3.5-haiku claude-3-5-haiku-20241022", "2025-01-01", anthropic, 800_000, 80_000, 4_000_000, 0},
	{"claude-3-haiku claude-3-haiku-20240307", "2024-03-13", anthropic, 250_000, 30_000, 1_250_000, 0},
	{"deepseek-flash", "2026-09-10", deepSeek, 300_000, 6_000, 1_200_000, 0},
	{"deepseek-v4-flash", "2026-04-24", deepSeek, 140_000, 2_800, 280_000, 0},
	{"deepseek-v4-flash", "2026-08-16", deepSeek, 440_000, 14_000, 1_320_000, 0},
	{"deepseek-v4-flash", "2026-09-10", deepSeek, 300_000, 6_000, 1_200_000, 0},
	{"deepseek-v4-pro", "2026-04-24", deepSeek, 435_000, 3_625, 870_000, 0},
	{"deepseek-v4-pro", "2026-08-16", deepSeek, 1_320_000, 44_000, 3_960_000, 0},
	{"deepseek-chat", "2025-02-08", deepSeek, 270_000, 70_000, 1_100_000, 0},
	{"deepseek-reasoner", "2025-01-20", deepSeek, 550_000, 140_000, 2_190_000, 0},
	{"deepseek-chat deepseek-reasoner", "2025-09-05", deepSeek, 560_000, 70_000, 1_680_000, 0},
	{"deepseek-chat deepseek-reasoner", "2025-09-29", deepSeek, 280_000, 28_000, 420_000, 0},
	{"deepseek-chat deepseek-reasoner", "2026-07-24", deepSeek, 0, 0, 0, 0},
	{"qwen3.8-max", since, qwen, 2_000_000, 2_000_000, 6_000_000, 0},
	{"qwen3.8-flash", since, qwen, 150_000, 150_000, 470_000, 0},
	{"qwen3-max", since, qwen, 1_200_000, 1_200_000, 6_000_000, 0},
	{"qwen-max", "2025-01-29", qwen, 1_600_000, 1_600_000, 6_400_000, 0},
	{"qwen-plus qwen-plus-latest", "2025-04-28", qwen, 400_000, 400_000, 1_200_000, 4_000_000},
	{"qwen-turbo qwen-turbo-latest", "2025-04-28", qwen, 50_000, 50_000, 200_000, 500_000},
	{"qwen-flash", "2025-07-28", qwen, 50_000, 50_000, 400_000, 0},
	{"gemini-3.5-flash", since, gemini, 1_500_000, 150_000, 9_000_000, 0},
	{"gemini-3.1-pro-preview", since, gemini, 2_000_000, 200_000, 12_000_000, 0},
	{"gemini-3.1-flash-lite gemini-3.1-flash-lite-preview", since, gemini, 250_000, 25_000, 1_500_000, 0},
	{"gemini-3-flash-preview", since, gemini, 500_000, 50_000, 3_000_000, 0},
	{"gemini-2.5-pro", "2025-06-17", gemini, 1_250_000, 125_000, 10_000_000, 0},
	{"gemini-2.5-flash", "2025-06-17", gemini, 300_000, 30_000, 2_500_000, 0},
	{"gemini-2.5-flash-lite", "2025-07-22", gemini, 100_000, 10_000, 400_000, 0},
	{"gemini-2.0-flash gemini-2.0-flash-001", "2025-02-05", gemini, 100_000, 25_000, 400_000, 0},
	{"mistral-large-2411", "2024-11-18", mistral, 2_000_000, 2_000_000, 6_000_000, 0},
	{"pixtral-large-latest pixtral-large-2411", "2024-11-18", mistral, 2_000_000, 2_000_000, 6_000_000, 0},
	{"mistral-medium-2505 mistral-medium-2508", "2025-05-07", mistral, 400_000, 400_000, 2_000_000, 0},
	{"codestral-latest codestral-2508 codestral-2501", "2025-01-13", mistral, 300_000, 300_000, 900_000, 0},
	{"magistral-medium-latest", "2025-06-10", mistral, 2_000_000, 2_000_000, 5_000_000, 0},
	{"magistral-small-latest", "2025-06-10", mistral, 500_000, 500_000, 1_500_000, 0},
	{"open-mistral-nemo open-mistral-nemo-2407", "2024-09-17", mistral, 150_000, 150_000, 150_000, 0},
	{"grok-4.6", since, xAI, 2_000_000, 500_000, 6_000_000, 0},
	{"grok-4.5", since, xAI, 2_000_000, 500_000, 6_000_000, 0},
	{"grok-4-1-fast-reasoning grok-4-1-fast-non-reasoning grok-4.1-fast", "2025-11-19", xAI, 200_000, 50_000, 500_000, 0},
	{"grok-4-fast-reasoning grok-4-fast-non-reasoning grok-4-fast", "2025-09-19", xAI, 200_000, 50_000, 500_000, 0},
	{"grok-4 grok-4-0709 grok-4-latest", "2025-07-09", xAI, 3_000_000, 750_000, 15_000_000, 0},
	{"grok-3", "2025-04-09", xAI, 3_000_000, 750_000, 15_000_000, 0},
	{"grok-3-mini", "2025-04-09", xAI, 300_000, 75_000, 500_000, 0},
	{"kimi-k3", since, moonshot, 3_000_000, 300_000, 15_000_000, 0},
	{"kimi-k2.7-code", since, moonshot, 950_000, 190_000, 4_000_000, 0},
	{"kimi-k2-0905-preview", "2025-09-05", moonshot, 600_000, 150_000, 2_500_000, 0},
	{"kimi-k2-thinking", "2025-11-06", moonshot, 600_000, 150_000, 2_500_000, 0},
	{"kimi-k2-turbo-preview", "2025-11-06", moonshot, 1_150_000, 150_000, 8_000_000, 0},
	{"llama-3.3-70b-versatile", "2024-12-06", groq, 590_000, 590_000, 790_000, 0},
	{"llama-3.1-8b-instant", "2024-07-23", groq, 50_000, 50_000, 80_000, 0},
}

// Shipped are the rows of the table.
func Shipped() []agent.PriceRow {
	var rows []agent.PriceRow
	for _, f := range facts {
		from, err := time.Parse(time.DateOnly, f.from)
		if err != nil {
			panic(err) // a slip in the table, which its test finds
		}
		for _, n := range strings.Fields(f.names) {
			rows = append(rows, agent.PriceRow{
				Model: n, ValidFrom: from, Known: f.output > 0, Source: f.source,
				Price: agent.Price{Input: f.input, Cached: f.cached, Output: f.output, Reasoning: f.reasoning},
			})
		}
	}
	return rows
}
