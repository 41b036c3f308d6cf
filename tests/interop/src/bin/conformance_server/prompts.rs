//! The prompts that the suite asks for.

use helve::serve::{Prompt, PromptArgument, PromptMessage, Prompts};
use helve::transcript::ContentBlock;

use crate::content::{image, resource};
use crate::rounds::answer;

/// Makes the list that is served.
pub(crate) fn prompts() -> Prompts {
    Prompts::new(all())
}

/// Makes the prompts.
pub(crate) fn all() -> [Prompt; 5] {
    let simple = Prompt::new("test_simple_prompt", "Takes no arguments.", |_, _| {
        Box::pin(async { Ok(vec![PromptMessage::user("This is a simple test prompt.")]) })
    });
    let first = PromptArgument::required("arg1", "The first.").suggesting(|typed| {
        let known = ["testValue1", "test", "other"].into_iter();
        let fitting = known.filter(|value| value.starts_with(typed));
        fitting.map(str::to_owned).collect()
    });
    let with_arguments = Prompt::new(
        "test_prompt_with_arguments",
        "Takes two arguments.",
        |_, arguments| {
            Box::pin(async move {
                let value = |name| arguments.get(name).unwrap_or_default().to_owned();
                let (one, two) = (value("arg1"), value("arg2"));
                let text = format!("Prompt with arguments: arg1='{one}', arg2='{two}'");
                Ok(vec![PromptMessage::user(text)])
            })
        },
    )
    .argument(first)
    .argument(PromptArgument::optional("arg2", "The second."));
    let with_resource = Prompt::new(
        "test_prompt_with_embedded_resource",
        "Hands a resource over.",
        |_, arguments| {
            Box::pin(async move {
                let uri = arguments.get("resourceUri").unwrap_or("test://static-text");
                let resource =
                    resource(uri, "text/plain", "Embedded resource content for testing.");
                Ok(vec![
                    PromptMessage::user_block(ContentBlock::Resource { resource }),
                    PromptMessage::user("Please process the embedded resource above."),
                ])
            })
        },
    )
    .argument(PromptArgument::optional("resourceUri", "Which resource."));
    let with_image = Prompt::new("test_prompt_with_image", "Hands an image over.", |_, _| {
        Box::pin(async {
            Ok(vec![
                PromptMessage::user_block(image()),
                PromptMessage::user("Please analyze the image above."),
            ])
        })
    });
    let asking = Prompt::new(
        "test_input_required_result_prompt",
        "Asks for its context first.",
        |cx, _| {
            Box::pin(async move {
                let question = "What context should the prompt use?";
                let context = answer(cx, "user_context", question, "context", "string").await?;
                let text = format!("Prompt with context: {context}");
                Ok(vec![PromptMessage::user(text)])
            })
        },
    );
    [simple, with_arguments, with_resource, with_image, asking]
}
