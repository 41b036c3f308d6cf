//! Who offers models, where they are, and with which key.

use std::time::Duration;

use helve_runtime::model::{Api, KeyOrigin, ModelError, Provider, ProviderStatus, Providers};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const KEY: &str = "sk-very-secret-1234";

fn with(variables: &'static [&'static str]) -> Providers {
    Providers::new().environment(move |name| {
        let (_, value) = variables
            .iter()
            .filter_map(|set| set.split_once('='))
            .find(|(known, _)| *known == name)?;
        Some(value.to_owned())
    })
}

fn complaint(providers: &Providers, model: &str) -> String {
    let model = providers.model(&model.parse().unwrap());
    let error = model.err().expect("an error");
    assert!(
        matches!(error, ModelError::NotConfigured { .. }),
        "{error:?}"
    );
    error.to_string()
}

fn status(providers: &Providers, name: &str) -> ProviderStatus {
    providers.status(name).unwrap()
}

#[test]
fn every_provider_says_what_it_is_missing() {
    let nothing = with(&[]);
    let lines = nothing.list().into_iter().map(|(name, status)| {
        let status = match status {
            Ok(status) => format!("{} {} {}", status.api, status.base_url, key(&status.key)),
            Err(error) => error.to_string(),
        };
        format!("{name}: {status}")
    });
    let lines: Vec<_> = lines.collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    anthropic: anthropic https://api.anthropic.com needs ANTHROPIC_API_KEY
    openai: openai-responses https://api.openai.com/v1 needs OPENAI_API_KEY
    openai-chat: openai-chat https://api.openai.com/v1 needs OPENAI_API_KEY
    openrouter: openai-chat https://openrouter.ai/api/v1 needs OPENROUTER_API_KEY
    groq: openai-chat https://api.groq.com/openai/v1 needs GROQ_API_KEY
    deepseek: openai-chat https://api.deepseek.com/v1 needs DEEPSEEK_API_KEY
    mistral: openai-chat https://api.mistral.ai/v1 needs MISTRAL_API_KEY
    xai: openai-chat https://api.x.ai/v1 needs XAI_API_KEY
    together: openai-chat https://api.together.xyz/v1 needs TOGETHER_API_KEY
    fireworks: openai-chat https://api.fireworks.ai/inference/v1 needs FIREWORKS_API_KEY
    cerebras: openai-chat https://api.cerebras.ai/v1 needs CEREBRAS_API_KEY
    moonshot: openai-chat https://api.moonshot.ai/v1 needs MOONSHOT_API_KEY
    huggingface: openai-chat https://router.huggingface.co/v1 needs HF_TOKEN
    ollama: openai-chat http://localhost:11434/v1 NotNeeded
    lmstudio: openai-chat http://localhost:1234/v1 NotNeeded
    llamacpp: openai-chat http://localhost:8080/v1 NotNeeded
    vllm: openai-chat http://localhost:8000/v1 NotNeeded
    gemini: gemini https://generativelanguage.googleapis.com/v1beta needs GEMINI_API_KEY or GOOGLE_API_KEY
    ollama-native: ollama http://localhost:11434 NotNeeded
    bedrock: bedrock https://bedrock-runtime.us-east-1.amazonaws.com needs BEDROCK_API_KEY or AWS_BEARER_TOKEN_BEDROCK
    vertex: vertex needs a project: set VERTEX_PROJECT_ID, and VERTEX_LOCATION where it is not `global`
    "#);
}

fn key(origin: &KeyOrigin) -> String {
    match origin {
        KeyOrigin::Missing { variables } => format!("needs {}", variables.join(" or ")),
        other => format!("{other:?}"),
    }
}

#[test]
fn errors_say_what_to_do() {
    let nothing = with(&[]);
    let complaints = [
        "antropic/claude-sonnet-4-6",
        "somebody/model",
        "anthropic/claude-sonnet-4-6",
        "openai-chat/gpt-5",
        #[cfg(feature = "genai")]
        "vertex/gemini-3-flash",
        #[cfg(feature = "genai")]
        "gemini/gemini-3-flash",
    ];
    let complaints = complaints.map(|model| complaint(&nothing, model));
    #[cfg(feature = "genai")]
    insta::assert_snapshot!(complaints.join("\n"), @r#"
    unknown provider `antropic`; did you mean `anthropic`? Known providers: anthropic, openai, openai-chat, openrouter, groq, deepseek, mistral, xai, together, fireworks, cerebras, moonshot, huggingface, ollama, lmstudio, llamacpp, vllm, gemini, ollama-native, bedrock, vertex. To use another provider, add its `base_url` under `[providers.antropic]` in `helve.toml`
    unknown provider `somebody`. Known providers: anthropic, openai, openai-chat, openrouter, groq, deepseek, mistral, xai, together, fireworks, cerebras, moonshot, huggingface, ollama, lmstudio, llamacpp, vllm, gemini, ollama-native, bedrock, vertex. To use another provider, add its `base_url` under `[providers.somebody]` in `helve.toml`
    anthropic needs a key: set ANTHROPIC_API_KEY (get a key at https://console.anthropic.com/settings/keys), or add `key` under `[providers.anthropic]` in `helve.toml`
    openai-chat needs a key: set OPENAI_API_KEY (get a key at https://platform.openai.com/api-keys), or add `key` under `[providers.openai-chat]` in `helve.toml`
    vertex needs a project: set VERTEX_PROJECT_ID, and VERTEX_LOCATION where it is not `global`
    gemini needs a key: set GEMINI_API_KEY or GOOGLE_API_KEY (get a key at https://aistudio.google.com/apikey), or add `key` under `[providers.gemini]` in `helve.toml`
    "#);
    #[cfg(not(feature = "genai"))]
    {
        assert_eq!(complaints.len(), 4);
        let error = complaint(&with(&["GEMINI_API_KEY=x"]), "gemini/gemini-3-flash");
        assert!(error.contains("build with the feature `genai`"), "{error}");
    }
}

#[test]
fn keys_come_from_the_configuration_then_the_environment() {
    let providers = with(&[
        "OPENAI_API_KEY=sk-1",
        "GROQ_API_KEY= ",
        "GOOGLE_API_KEY=g",
        "MY_HOME_API_KEY=k",
    ]);
    let variable = |name: &str| KeyOrigin::Environment {
        variable: name.into(),
    };
    assert_eq!(status(&providers, "openai").key, variable("OPENAI_API_KEY"));
    assert_eq!(
        status(&providers, "openai-chat").key,
        variable("OPENAI_API_KEY")
    );
    assert_eq!(status(&providers, "gemini").key, variable("GOOGLE_API_KEY"));
    // A variable that is set to nothing is not set.
    assert!(!status(&providers, "groq").is_ready());
    let providers = providers
        .configure("openai", Provider::new().key("sk-2"))
        .configure("my-home", Provider::new().base_url("http://home:1/v1"));
    assert_eq!(status(&providers, "openai").key, KeyOrigin::Configured);
    assert!(status(&providers, "openai").is_configured);
    assert_eq!(
        status(&providers, "my-home").key,
        variable("MY_HOME_API_KEY")
    );
    assert_eq!(status(&providers, "my-home").api, Api::OpenaiChat);
    assert_eq!(status(&providers, "ollama").key, KeyOrigin::NotNeeded);
    let names = providers.list().into_iter().map(|(name, _)| name);
    assert_eq!(names.last().as_deref(), Some("my-home"));
}

#[test]
fn whoever_stands_in_for_a_provider_may_want_no_key() {
    let providers = with(&["ANTHROPIC_BASE_URL=http://gateway:4000/"]);
    assert_eq!(
        status(&providers, "anthropic").base_url,
        "http://gateway:4000"
    );
    let name = "anthropic/claude-sonnet-4-6".parse().unwrap();
    providers.model(&name).unwrap();
    let providers = providers.base_url("anthropic", "http://localhost:5601");
    assert_eq!(
        status(&providers, "anthropic").base_url,
        "http://localhost:5601"
    );
    providers.model(&name).unwrap();
    // The others stay where they are.
    assert!(complaint(&providers, "openai/gpt-5").contains("OPENAI_API_KEY"));
}

#[test]
fn base_urls_that_are_none_are_errors() {
    for url in ["localhost:8000", "ftp://h/v1", "", "/v1"] {
        let error = complaint(&with(&[]).base_url("openai", url), "openai/gpt-5");
        assert!(error.contains("expected an absolute URL"), "{error}");
    }
    let nowhere = with(&[]).configure("home", Provider::new());
    assert!(complaint(&nowhere, "home/m").starts_with("the provider `home` has no base URL"));
    let unknown = with(&[]).base_url("home", "http://home:1/v1");
    unknown.model(&"home/m".parse().unwrap()).unwrap();
}

#[test]
fn a_configuration_is_read_strictly_and_prints_no_secret() {
    let text = format!(
        r#"{{"api":"anthropic","base_url":"https://me:{KEY}@gateway/v1?key={KEY}","key":"{KEY}","headers":{{"x-key":"{KEY}"}}}}"#
    );
    let provider: Provider = serde_json::from_str(&text).unwrap();
    assert_eq!(provider.api, Some(Api::Anthropic));
    let providers = with(&[]).configure("gateway", provider.clone());
    let status = status(&providers, "gateway");
    assert_eq!(status.base_url, "https://gateway/v1");
    let printed = format!("{provider:?} {providers:?} {status:?}");
    assert!(!printed.contains(KEY), "{printed}");
    let broken = Provider::new().key(format!("{KEY}\n{KEY}"));
    let error = complaint(&with(&[]).configure("openai", broken), "openai/gpt-5");
    assert!(
        !error.contains(KEY) && error.contains("`key` under `[providers.openai]`"),
        "{error}"
    );
    let apis = [
        "openai-chat",
        "openai.chat",
        "openai-responses",
        "gemini",
        "ollama",
        "bedrock",
        "vertex",
    ];
    for api in apis {
        serde_json::from_value::<Api>(api.into()).unwrap();
    }
    let error = serde_json::from_str::<Provider>(r#"{"url":"x"}"#).unwrap_err();
    assert!(
        error.to_string().starts_with("unknown field `url`"),
        "{error}"
    );
    let error = serde_json::from_str::<Provider>(r#"{"api":"chat"}"#).unwrap_err();
    assert!(error.to_string().contains("`openai-chat`"), "{error}");
}

#[cfg(feature = "genai")]
#[test]
fn providers_in_regions_are_where_the_environment_says() {
    let here = with(&[
        "AWS_REGION=eu-central-1",
        "VERTEX_PROJECT_ID=p",
        "VERTEX_LOCATION=europe-west4",
        "VERTEX_API_KEY=t",
    ]);
    assert_eq!(
        status(&here, "bedrock").base_url,
        "https://bedrock-runtime.eu-central-1.amazonaws.com"
    );
    assert_eq!(
        status(&here, "vertex").base_url,
        "https://europe-west4-aiplatform.googleapis.com/v1/projects/p/locations/europe-west4"
    );
    here.model(&"vertex/gemini-3-flash".parse().unwrap())
        .unwrap();
    let nowhere = with(&["GOOGLE_CLOUD_PROJECT=p"]);
    assert_eq!(
        status(&nowhere, "bedrock").base_url,
        "https://bedrock-runtime.us-east-1.amazonaws.com"
    );
    assert_eq!(
        status(&nowhere, "vertex").base_url,
        "https://aiplatform.googleapis.com/v1/projects/p/locations/global"
    );
}

#[tokio::test]
async fn whether_somebody_answers_is_found_out_without_a_key() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}/v1", listener.local_addr().unwrap());
    let answer = async {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut request = vec![0; 4096];
        let length = stream.read(&mut request).await.unwrap();
        stream
            .write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n")
            .await
            .unwrap();
        String::from_utf8(request[..length].to_vec()).unwrap()
    };
    let providers = with(&["OPENAI_API_KEY=sk-very-secret-1234"]).base_url("openai", &base);
    let deadline = Duration::from_secs(20);
    let (reached, request) = tokio::join!(providers.probe("openai", deadline), answer);
    assert!(reached.unwrap() < deadline);
    assert!(
        request.starts_with("HEAD /v1") && !request.contains(KEY),
        "{request}"
    );

    drop(listener);
    let error = providers
        .probe("openai", deadline)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("refuses the connection"), "{error}");
    assert!(providers.probe("nobody", deadline).await.is_err());
}

#[tokio::test]
async fn a_server_that_never_answers_is_left_after_the_deadline() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let providers = with(&[]).base_url("ollama", base);
    let deadline = Duration::from_millis(50);
    let error = providers.probe("ollama", deadline).await.unwrap_err();
    assert!(matches!(error, ModelError::TimedOut { .. }), "{error:?}");
}
