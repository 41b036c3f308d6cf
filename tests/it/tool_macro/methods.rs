//! Tools that are methods.

use super::*;

struct Shop {
    stock: u32,
}

#[tools]
impl Shop {
    /// Counts the stock.
    #[tool(read_only)]
    async fn stock(
        &self,
        /// Reserved.
        #[arg(default)]
        reserved: u32,
        other: Option<&Self>,
    ) -> u32 {
        std::future::ready(()).await;
        self.stock - reserved + other.map_or(0, |other| other.stock)
    }

    /// Counts the stock, slowly.
    #[tool(blocking, check = Self::check)]
    fn slow_stock(&self) -> Result<u32, String> {
        Ok(self.stock)
    }

    fn check(_: &ToolContext) -> Check {
        Check::Allow
    }
}

#[tokio::test]
async fn belong_to_the_value_that_their_toolset_binds() {
    let context = ToolContext::new();
    for stock in [3, 4] {
        let tools = Shop::toolset(Arc::new(Shop { stock }));
        let said = tools
            .call("stock", r#"{"reserved":1}"#, &context)
            .await
            .unwrap();
        assert_eq!(said.text(), (stock - 1).to_string());
        let said = tools.call("slow_stock", "", &context).await.unwrap();
        assert_eq!(said.text(), stock.to_string());
    }
}

#[tokio::test]
async fn belong_to_the_apps_value_where_nothing_binds_them() {
    let context = helve::testing::context_with(Shop { stock: 5 });
    let tools = toolset![Shop::stock, Shop::slow_stock];
    assert_eq!(
        tools.call("stock", "", &context).await.unwrap().text(),
        "10"
    );
    assert_eq!(
        tools.call("slow_stock", "", &context).await.unwrap().text(),
        "5"
    );
}

#[tokio::test]
async fn say_whose_they_are_where_there_is_no_value() {
    let said = call_text(|| toolset![Shop::stock], "", &ToolContext::new()).await;
    assert_snapshot!(said, @"not_available: the tool is a method of `it::tool_macro::methods::Shop`, which this app does not have");
}

#[test]
fn are_judged_like_functions() {
    let tools = Shop::toolset(Arc::new(Shop { stock: 5 }));
    let facts = tools
        .get("slow_stock")
        .unwrap()
        .facts(&ToolContext::new(), "")
        .unwrap();
    assert_eq!(facts.check, Check::Allow);
}
