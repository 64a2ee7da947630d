package vectors

import (
	"context"
	"errors"
	"slices"

	"fusebox/agent"
)

// pairs are questions, and texts that answer them in other words or in the other language;
// each answers none of the other questions.
var pairs = [][2]string{
	{"How do I get my money back for a broken kettle?", "Defective appliances are refunded within thirty days of purchase."},
	{"When does the library close on Sundays?", "周日图书馆下午五点闭馆。"},
	{"Who repairs the lift?", "Faults of the elevator are reported to the caretaker, who calls the engineer."},
	{"How long must invoices be kept?", "发票须保存十年，之后方可销毁。"},
	{"What should I feed the cat?", "Our kitten gets half a tin of fish in the morning and some in the evening."},
	{"Which metal melts first?", "Tin becomes liquid at 232 °C, copper only at 1085 °C."},
	{"怎么重置密码？", "If you cannot sign in, choose a new passphrase by the link in the e-mail."},
	{"会议改到什么时候了？", "周例会推迟到星期四上午十点。"},
	{"出差住宿能报销多少？", "Hotel costs on business trips are reimbursed up to 120 euros a night."},
	{"火灾时从哪里逃生？", "If the alarm rings, leave the building by the stairs at the north end."},
	{"这种药一天吃几次？", "每次一片，早晚各服一次，饭后温水送下。"},
	{"土豆什么时候种？", "Potatoes are planted in April, once the soil is no longer frozen."},
}

// floorShare is how far the floor is between what has nothing to do with a question and what
// answers it.
const floorShare = 1.0 / 3

// measure finds out how long the vectors of a model are, and from which similarity on a text
// answers: models differ in how near they put what has nothing to do with each other.
func (x *Index) measure(ctx context.Context, userID string) error {
	var texts []string
	for _, p := range pairs {
		texts = append(texts, p[0], p[1])
	}
	vectors, call, err := x.ask(ctx, userID, texts)
	if err != nil {
		return err
	}
	var answers, others []float64
	for i := range pairs {
		for j := range pairs {
			if s := vectors[2*i].Similarity(vectors[2*j+1]); i == j {
				answers = append(answers, s)
			} else {
				others = append(others, s)
			}
		}
	}
	slices.Sort(answers)
	slices.Sort(others)
	// Half of the answers are in the language of the question: these any model has to find.
	low, high := others[len(others)*98/100], answers[len(answers)/2]
	m := x.current()
	m.Dimension, m.Floor = vectors[0].Dimension(), low+floorShare*(high-low)
	if high <= low {
		return errors.Join(x.Store.KeepEmbeddingCost(ctx, call), errStopped{"The model does not tell answers from texts about something else; it may be none of embeddings."})
	}
	if err := x.Store.SetVectorModel(ctx, m, call); err != nil {
		return err
	}
	x.change(func(known *agent.VectorModel) { known.Dimension, known.Floor = m.Dimension, m.Floor })
	x.Log.Info("embedding documents", "model", x.Model, "dimension", m.Dimension, "floor", m.Floor)
	return nil
}
