//! What Responses are sent.

use helve_runtime::model::{Effort, ModelOptions, ModelRequest};
use helve_runtime::transcript::{Message, MessagePart};
use serde_json::{Value, json};

use crate::model_openai::conversation::{
    OPENAI, calls, everything, reply, responses, shown, text, thinking,
};

const REASONING: &str = r#"{"id":"rs_1", "type":"reasoning","summary":[{"type":"summary_text","text":"I should look."}],"encrypted_content":"gAAA"}"#;

const SEARCH: &str = r#"{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"cats"}}"#;

fn item(item: &str) -> MessagePart {
    MessagePart::ProviderItem {
        api: "openai.responses".into(),
        item: item.into(),
    }
}

fn own_reply(provider: &str) -> Message {
    let [first, second] = calls();
    let parts = vec![
        item(SEARCH),
        thinking("I should look.", Some(REASONING)),
        text("Let me see."),
        first,
        second,
    ];
    reply("openai.responses", provider, parts)
}

#[test]
fn openai_is_sent_everything_in_its_own_words() {
    let model = responses("openai/gpt-5", OPENAI).prompt_cache_key("conversation-1");
    let body = model.body(&everything(own_reply("openai")));
    insta::assert_snapshot!(shown(&body), @r#"
{
  "model": "gpt-5",
  "instructions": "Be brief.",
  "tools": [
    {
      "type": "function",
      "name": "look",
      "description": "Looks.",
      "parameters": {
        "type": "object",
        "properties": {}
      },
      "strict": false
    },
    {
      "type": "function",
      "name": "read",
      "description": "Reads a file.",
      "parameters": {
        "type": "object",
        "properties": {
          "path": {
            "type": "string"
          }
        },
        "required": [
          "path"
        ]
      },
      "strict": false
    }
  ],
  "input": [
    {
      "type": "message",
      "role": "user",
      "content": [
        {
          "type": "input_text",
          "text": "What is on it?"
        },
        {
          "type": "input_image",
          "image_url": "data:image/png;base64,iVBORw0K",
          "detail": "auto"
        },
        {
          "type": "input_file",
          "filename": "plan.pdf",
          "file_data": "data:application/pdf;base64,JVBERi0x"
        }
      ]
    },
    {
      "type": "web_search_call",
      "id": "ws_1",
      "status": "completed",
      "action": {
        "type": "search",
        "query": "cats"
      }
    },
    {
      "id": "rs_1",
      "type": "reasoning",
      "summary": [
        {
          "type": "summary_text",
          "text": "I should look."
        }
      ],
      "encrypted_content": "gAAA"
    },
    {
      "type": "message",
      "role": "assistant",
      "content": "Let me see."
    },
    {
      "type": "function_call",
      "call_id": "call_1",
      "name": "look",
      "arguments": "{}"
    },
    {
      "type": "function_call",
      "call_id": "call_2",
      "name": "read",
      "arguments": "{\"path\": \"/a\"}"
    },
    {
      "type": "function_call_output",
      "call_id": "call_1",
      "output": [
        {
          "type": "input_text",
          "text": "A cat."
        },
        {
          "type": "input_image",
          "image_url": "data:image/png;base64,iVBORw0K",
          "detail": "auto"
        }
      ]
    },
    {
      "type": "function_call_output",
      "call_id": "call_2",
      "output": "Error: no such file"
    },
    {
      "type": "message",
      "role": "system",
      "content": "The user prefers short answers."
    },
    {
      "type": "message",
      "role": "assistant",
      "content": "Once more."
    },
    {
      "type": "function_call",
      "call_id": "call_3",
      "name": "read",
      "arguments": "{\"path\": \"/et"
    },
    {
      "type": "function_call_output",
      "call_id": "call_3",
      "output": "Error: (no output)"
    },
    {
      "type": "message",
      "role": "user",
      "content": "Go on"
    }
  ],
  "max_output_tokens": 1000,
  "reasoning": {
    "effort": "high",
    "summary": "auto"
  },
  "text": {
    "format": {
      "type": "json_schema",
      "name": "answer",
      "strict": true,
      "schema": {
        "type": "object",
        "properties": {
          "animal": {
            "type": "string"
          }
        },
        "required": [
          "animal"
        ],
        "additionalProperties": false
      }
    }
  },
  "include": [
    "reasoning.encrypted_content"
  ],
  "prompt_cache_key": "conversation-1",
  "store": false,
  "stream": true
}
"#);
}

#[test]
fn items_go_back_exactly_as_they_came_and_only_home() {
    let model = responses("openai/gpt-5", OPENAI);
    let sent = |provider| {
        let body = model.body(&everything(own_reply(provider)));
        String::from_utf8(body).unwrap()
    };
    let home = sent("openai");
    // The very text, spaces included.
    assert!(home.contains(REASONING) && home.contains(SEARCH), "{home}");
    let away = sent("xai");
    assert!(!away.contains("rs_1") && !away.contains("ws_1"), "{away}");
}

fn options_of(name: &str, base_url: &str, options: ModelOptions) -> Value {
    let request = ModelRequest::new(vec![Message::user("Hi")]).options(options);
    serde_json::from_slice(&responses(name, base_url).body(&request)).unwrap()
}

#[test]
fn models_that_do_not_reason_are_not_asked_for_their_reasoning() {
    let plain = options_of("openai/gpt-4o", OPENAI, ModelOptions::new());
    assert_eq!((plain.get("include"), plain.get("reasoning")), (None, None));
    assert_eq!(plain["store"], false);
    let reasoning = options_of("openai/gpt-5", OPENAI, ModelOptions::new());
    assert_eq!(reasoning["include"], json!(["reasoning.encrypted_content"]));
    let effort = options_of(
        "openai/gpt-5.6",
        OPENAI,
        ModelOptions::new().effort(Effort::None),
    );
    assert_eq!(effort["reasoning"], json!({"effort": "none"}));
    let effort = options_of(
        "xai/grok-4",
        "https://api.x.ai/v1",
        ModelOptions::new().effort(Effort::Low),
    );
    assert_eq!(
        effort["reasoning"],
        json!({"effort": "low", "summary": "auto"})
    );
}

#[test]
fn instructions_are_a_message_where_there_is_no_field_for_them() {
    let model = responses("xai/grok-4", "https://api.x.ai/v1");
    let request = ModelRequest::new(vec![Message::user("Hi")]).system("Be brief.");
    let body: Value = serde_json::from_slice(&model.body(&request)).unwrap();
    assert_eq!(body.get("instructions"), None);
    let system = json!({"type": "message", "role": "system", "content": "Be brief."});
    assert_eq!(body["input"][0], system);
}

#[test]
fn a_summary_is_asked_for_on_demand() {
    let request = ModelRequest::new(vec![Message::user("Hi")]);
    let model = responses("openai/gpt-5", OPENAI)
        .reasoning_summary(true)
        .parallel_tool_calls(false);
    let body: Value = serde_json::from_slice(&model.body(&request)).unwrap();
    assert_eq!(body["reasoning"], json!({"summary": "auto"}));
    // Without tools it means nothing, and is refused.
    assert_eq!(body.get("parallel_tool_calls"), None);
}

#[test]
fn images_follow_the_results_where_these_cannot_hold_them() {
    let mut model = responses("other/m", "https://example.com/v1");
    let mut dialect = helve_runtime::model::ResponsesDialect::default();
    dialect.images_in_results = false;
    dialect.item_ids = false;
    model = model.dialect(dialect);
    let body: Value = serde_json::from_slice(&model.body(&everything(own_reply("other")))).unwrap();
    let items = body["input"].as_array().unwrap();
    let kinds: Vec<_> = items
        .iter()
        .map(|item| item["type"].as_str().unwrap())
        .collect();
    insta::assert_snapshot!(kinds.join(" "), @"message web_search_call reasoning message function_call function_call function_call_output function_call_output message message message function_call function_call_output message");
    assert!(items.iter().all(|item| item.get("id").is_none()));
    assert_eq!(items[2]["encrypted_content"], "gAAA");
}
