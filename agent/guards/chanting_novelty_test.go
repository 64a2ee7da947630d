package guards

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// shuffled says the sentences again and again in any order.
func inAnyOrder(n int, between string, sentences ...string) string {
	rnd := rand.New(rand.NewPCG(21, 1))
	return rows(n, func(int) string { return sentences[rnd.IntN(len(sentences))] + between })
}

// inTurns says the texts again and again one after the other.
func inTurns(n int, texts ...string) string {
	return rows(n, func(i int) string { return texts[i%len(texts)] })
}

// noveltyTexts are what the rule must leave alone and what it must cut.
var noveltyTexts = func() ruleTexts {
	good := words(700, 34) + "\n\n"
	long := func(i uint64) string { return words(430, 600+i) + ". " }
	return ruleTexts{ruleNovelty, map[string]string{
		"prose":                   words(12_000, 35),
		"a long text said twice":  strings.Repeat(words(1400, 36), 2),
		"a text said three times": strings.Repeat(words(700, 37)+"\n\n", 3),
		"a licence quoted for each": rows(8, func(i int) string {
			return "Copyright (c) 20" + num(10+i) + " " + word(i*7) + " " + word(i*3) + "\n\n" + words(1000, 38) + "\n\n"
		}),
		"a refrain": rows(14, func(i int) string {
			return words(160, uint64(700+i)) + "\nAnd the river runs,\nand the river runs to the sea.\n\n"
		}),
		"chapters that begin alike": rows(14, func(i int) string {
			return "In this chapter we look at what follows from the one before. " + words(200, uint64(740+i)) + "\n\n"
		}),
		"a list of equal sections": rows(30, func(i int) string { return "- Look at the logs, and then at the files of " + word(i) + "\n" }),
		"code of equal functions": "```go\n" + rows(40, func(i int) string {
			return "func (t *" + word(i) + ") Close() error {\n\tif t.file == nil {\n\t\treturn nil\n\t}\n\treturn t.file.Close()\n}\n\n"
		}) + "```\n",
		"paths that begin alike":      rows(120, func(i int) string { return "libs/garden/include/garden/" + word(i*7) + ".hpp\n" }),
		"chinese prose":               chineseProse(6000),
		"one phrase in all sentences": rows(40, func(i int) string { return "It should be noted that " + words(90, uint64(780+i)) + ". " }),
	}, map[string]loudText{
		"three paragraphs in turns":   {good, inTurns(14, long(1), long(2), long(3)), 1500},
		"three paragraphs, any order": {good, inAnyOrder(18, "", long(4), long(5), long(6)), 3000},
		"paragraphs under headings":   {good, inTurns(24, "## Part\n\n", long(7)+"\n\n", "## Part\n\n", long(8)+"\n\n"), 1500},
		"numbered headings":           {good, rows(14, func(i int) string { return "## Section " + num(i) + "\n\n" + long(9) + "\n\n" }), 1000},
		"excuses in any order": {good, inAnyOrder(400, " ", "I am sorry for the confusion that this has caused.", "You are right, that was a mistake on my side.",
			"Let me correct that for you now.", "Here is the corrected version of it:"), 5000},
		"one word that changes": {good, rows(80, func(i int) string {
			return "This step is " + []string{"vital", "key", "crucial", "important"}[i*i*7%11%4] + " for the project, so make sure that you complete it before you go on. "
		}), 1500},
		"two languages": {good, inTurns(20, long(10), strings.Repeat("これは前にも言いましたが、もう一度説明します。", 1), long(11)), 1500},
	}}
}()

func TestNovelty(t *testing.T) {
	t.Parallel()
	noveltyTexts.prove(t)
}

func BenchmarkNovelty(b *testing.B) {
	benchRule(b, func() func(rune, int) bool {
		w := &noveltyWindow{}
		return w.push
	})
}
