//! What Chat Completions are sent.

use helve_runtime::model::ModelRequest;
use helve_runtime::transcript::{Message, MessagePart};
use serde_json::{Value, json};

use crate::model_openai::conversation::{
    OPENAI, calls, chat, everything, reply, shown, text, thinking,
};

/// A first reply of that provider: thinking, a text and two calls.
fn own_reply(provider: &str) -> Message {
    let [first, second] = calls();
    let parts = vec![
        thinking("I should look.", None),
        text("Let me see."),
        first,
        second,
    ];
    reply("openai.chat", provider, parts)
}

#[test]
fn openai_is_sent_everything_in_its_own_words() {
    let model = chat("openai/gpt-5.6", OPENAI).prompt_cache_key("conversation-1");
    let body = model.body(&everything(own_reply("openai")));
    insta::assert_snapshot!(shown(&body), @r#"
{
  "model": "gpt-5.6",
  "tools": [
    {
      "type": "function",
      "function": {
        "name": "look",
        "description": "Looks.",
        "parameters": {
          "type": "object",
          "properties": {}
        }
      }
    },
    {
      "type": "function",
      "function": {
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
        }
      }
    }
  ],
  "messages": [
    {
      "role": "system",
      "content": "Be brief."
    },
    {
      "role": "user",
      "content": [
        {
          "type": "text",
          "text": "What is on it?"
        },
        {
          "type": "image_url",
          "image_url": {
            "url": "data:image/png;base64,iVBORw0K"
          }
        },
        {
          "type": "file",
          "file": {
            "filename": "plan.pdf",
            "file_data": "data:application/pdf;base64,JVBERi0x"
          }
        }
      ]
    },
    {
      "role": "assistant",
      "content": "Let me see.",
      "tool_calls": [
        {
          "id": "call_1",
          "type": "function",
          "function": {
            "name": "look",
            "arguments": "{}"
          }
        },
        {
          "id": "call_2",
          "type": "function",
          "function": {
            "name": "read",
            "arguments": "{\"path\": \"/a\"}"
          }
        }
      ]
    },
    {
      "role": "tool",
      "tool_call_id": "call_1",
      "content": "A cat.\n\n[attachment 1, in the message after the results]"
    },
    {
      "role": "tool",
      "tool_call_id": "call_2",
      "content": "Error: no such file"
    },
    {
      "role": "user",
      "content": [
        {
          "type": "text",
          "text": "Attachment 1, of the result of the call call_1:"
        },
        {
          "type": "image_url",
          "image_url": {
            "url": "data:image/png;base64,iVBORw0K"
          }
        }
      ]
    },
    {
      "role": "system",
      "content": "The user prefers short answers."
    },
    {
      "role": "assistant",
      "content": "Once more.",
      "tool_calls": [
        {
          "id": "call_3",
          "type": "function",
          "function": {
            "name": "read",
            "arguments": "{\"path\": \"/et"
          }
        }
      ]
    },
    {
      "role": "tool",
      "tool_call_id": "call_3",
      "content": "Error: (no output)"
    },
    {
      "role": "user",
      "content": "Go on"
    }
  ],
  "max_completion_tokens": 1000,
  "reasoning_effort": "high",
  "response_format": {
    "type": "json_schema",
    "json_schema": {
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
  "prompt_cache_key": "conversation-1",
  "stream": true,
  "stream_options": {
    "include_usage": true
  }
}
"#);
}

#[test]
fn deepseek_gets_its_thinking_back_and_no_schema() {
    let model = chat("deepseek/deepseek-v4", "https://api.deepseek.com");
    let body = model.body(&everything(own_reply("deepseek")));
    insta::assert_snapshot!(shown(&body), @r#"
{
  "model": "deepseek-v4",
  "tools": [
    {
      "type": "function",
      "function": {
        "name": "look",
        "description": "Looks.",
        "parameters": {
          "type": "object",
          "properties": {}
        }
      }
    },
    {
      "type": "function",
      "function": {
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
        }
      }
    }
  ],
  "messages": [
    {
      "role": "system",
      "content": "Be brief.\n\nAnswer with one JSON object that fits this schema, and nothing else:\n{\"type\":\"object\",\"properties\":{\"animal\":{\"type\":\"string\"}},\"required\":[\"animal\"]}"
    },
    {
      "role": "user",
      "content": [
        {
          "type": "text",
          "text": "What is on it?"
        },
        {
          "type": "image_url",
          "image_url": {
            "url": "data:image/png;base64,iVBORw0K"
          }
        },
        {
          "type": "text",
          "text": "[file:///notes/plan.pdf, application/pdf, about 6 bytes: not supported by this model]"
        }
      ]
    },
    {
      "role": "assistant",
      "content": "Let me see.",
      "tool_calls": [
        {
          "id": "call_1",
          "type": "function",
          "function": {
            "name": "look",
            "arguments": "{}"
          }
        },
        {
          "id": "call_2",
          "type": "function",
          "function": {
            "name": "read",
            "arguments": "{\"path\": \"/a\"}"
          }
        }
      ],
      "reasoning_content": "I should look."
    },
    {
      "role": "tool",
      "tool_call_id": "call_1",
      "content": "A cat.\n\n[attachment 1, in the message after the results]"
    },
    {
      "role": "tool",
      "tool_call_id": "call_2",
      "content": "Error: no such file"
    },
    {
      "role": "user",
      "content": [
        {
          "type": "text",
          "text": "Attachment 1, of the result of the call call_1:"
        },
        {
          "type": "image_url",
          "image_url": {
            "url": "data:image/png;base64,iVBORw0K"
          }
        }
      ]
    },
    {
      "role": "system",
      "content": "The user prefers short answers."
    },
    {
      "role": "assistant",
      "content": "Once more.",
      "tool_calls": [
        {
          "id": "call_3",
          "type": "function",
          "function": {
            "name": "read",
            "arguments": "{\"path\": \"/et"
          }
        }
      ],
      "reasoning_content": ""
    },
    {
      "role": "tool",
      "tool_call_id": "call_3",
      "content": "Error: (no output)"
    },
    {
      "role": "user",
      "content": "Go on"
    }
  ],
  "max_tokens": 1000,
  "temperature": 0.5,
  "reasoning_effort": "high",
  "thinking": {
    "type": "enabled"
  },
  "response_format": {
    "type": "json_object"
  },
  "stream": true,
  "stream_options": {
    "include_usage": true
  }
}
"#);
}

#[test]
fn mistral_gets_parts_and_short_ids() {
    let model = chat("mistral/mistral-medium", "https://api.mistral.ai/v1");
    let body = model.body(&everything(own_reply("mistral")));
    let body: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(body.get("stream_options"), None);
    let messages = &body["messages"];
    let thought =
        json!({"type": "thinking", "thinking": [{"type": "text", "text": "I should look."}]});
    assert_eq!(messages[2]["content"][0], thought);
    assert_eq!(messages[2]["content"][1]["text"], "Let me see.");
    let id = messages[2]["tool_calls"][0]["id"].as_str().unwrap();
    assert_eq!(id.len(), 9);
    assert_eq!(messages[3]["tool_call_id"], id);
    assert_eq!(messages[3]["content"][1]["type"], "image_url");
}

#[test]
fn openrouter_gets_its_details_back_in_place_of_the_thinking() {
    let details = json!({"reasoning_details": [{"type": "reasoning.text", "text": "I should look.", "signature": "s"}]});
    let item = MessagePart::ProviderItem {
        api: "openai.chat".into(),
        item: details.to_string().into(),
    };
    let [call, _] = calls();
    let parts = || vec![thinking("I should look.", None), call.clone(), item.clone()];
    let request = |provider| {
        ModelRequest::new(vec![
            Message::user("Hi"),
            reply("openai.chat", provider, parts()),
        ])
    };
    let model = chat(
        "openrouter/anthropic/claude-haiku-4.5",
        "https://openrouter.ai/api/v1",
    );
    let assistant = |provider| {
        let body: Value = serde_json::from_slice(&model.body(&request(provider))).unwrap();
        body["messages"][1].clone()
    };
    let own = assistant("openrouter");
    assert_eq!(own["reasoning_details"], details["reasoning_details"]);
    assert_eq!(own.get("reasoning"), None);
    assert_eq!(own["content"], Value::Null);
    let foreign = assistant("elsewhere");
    assert_eq!(foreign.get("reasoning_details"), None);
    assert_eq!(foreign["tool_calls"][0]["function"]["arguments"], "{}");
}

#[test]
fn the_key_of_the_cache_stays_the_same_for_a_conversation() {
    let model = chat("openai/gpt-4o", OPENAI);
    let key = |messages: Vec<Message>| {
        let request = ModelRequest::new(messages).system("Be brief.");
        let body: Value = serde_json::from_slice(&model.body(&request)).unwrap();
        body["prompt_cache_key"].as_str().unwrap().to_owned()
    };
    let first = key(vec![Message::user("Hi")]);
    assert_eq!(
        key(vec![Message::user("Hi"), Message::user("again")]),
        first
    );
    assert_ne!(key(vec![Message::user("Ho")]), first);
    let own = model.clone().prompt_cache_key("mine");
    let body: Value = serde_json::from_slice(&own.body(&ModelRequest::default())).unwrap();
    assert_eq!(body["prompt_cache_key"], "mine");
}
