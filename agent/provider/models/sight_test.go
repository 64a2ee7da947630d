package models

import "testing"

// TestWhichModelsSee: what an endpoint says of a model counts more than its name.
func TestWhichModelsSee(t *testing.T) {
	t.Parallel()
	for entry, sees := range map[string]bool{
		`"gpt-4o-mini"`:                        true,
		`{"id":"openai/gpt-4.1"}`:              true,
		`{"id":"Qwen/Qwen2.5-VL-7B-Instruct"}`: true,
		`{"id":"qwen3-vl:8b"}`:                 true,
		`{"id":"glm-4.5v"}`:                    true,
		`{"id":"glm-4.5"}`:                     false,
		`{"id":"deepseek-chat"}`:               false,
		`{"id":"o3-mini"}`:                     false,
		`{"id":"claude-sonnet-4-5"}`:           true,
		`{"id":"m","architecture":{"input_modalities":["text","image"]}}`:         true,
		`{"id":"gpt-4o","architecture":{"input_modalities":["text"]}}`:            false,
		`{"id":"m","capabilities":{"completion_chat":true,"vision":true}}`:        true,
		`{"id":"pixtral","capabilities":{"completion_chat":true,"vision":false}}`: false,
		`{"id":"m","capabilities":["completion","vision"]}`:                       true,
		`{"id":"m","type":"vlm"}`:                                                    true,
		`{"id":"kimi","supports_image_in":true}`:                                     true,
		`{"id":"m","architecture":{"input_modalities":7},"supports_image_in":"yes"}`: false,
	} {
		list, err := Read([]byte("[" + entry + "]"))
		if err != nil || len(list) != 1 || list[0].Vision != sees {
			t.Errorf("%s: %+v, %v", entry, list, err)
		}
	}
}
