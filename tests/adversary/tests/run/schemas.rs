//! The calls of the model are calls: their arguments fit the schemas of the tools.

use std::sync::Arc;

use futures_util::{FutureExt as _, StreamExt as _};
use helve::ToolContext;
use helve::model::{Model as _, ModelEvent, ModelRequest, OfferedTool};
use helve_adversary::{HostileModel, Rng, Theme};
use libtest_mimic::Failed;

use crate::background::Background;
use crate::fixture::{Fixture, HomeFolder, Ports};
use crate::persistent::PersistentState;
use crate::sites;

/// How many calls are composed.
const CALLS: usize = 1_000;

pub(crate) fn every_call_fits_the_schema_of_its_tool(home: &HomeFolder) -> Result<(), Failed> {
    let world = Fixture::new(home, Ports::NONE);
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let persistent = runtime.block_on(async {
        let background = Background::open(&world.state_folder(), false).await;
        let api = "http://127.0.0.1:9/github".to_owned();
        PersistentState::open(&world, &background, api, None).await
    });
    let tools = sites::tools(None).layered(&persistent.tools());
    let offered = tools.tools().into_iter().map(|tool| {
        let spec = tool.spec();
        OfferedTool::new(
            &*spec.name,
            Arc::clone(&spec.description),
            Arc::clone(&spec.input_schema),
        )
    });
    let request = ModelRequest::new(Vec::new()).tools(offered.collect::<Vec<_>>());
    let model = HostileModel::new(Rng::new(7), Arc::clone(&world.targets), Theme::Plant, CALLS);
    let (mut name, mut made) = (String::new(), 0);
    while made < CALLS {
        let mut events = model.reply(&request);
        while let Some(Some(Ok(event))) = events.next().now_or_never() {
            match event {
                ModelEvent::ToolCallStart { name: called, .. } => name = called.to_string(),
                ModelEvent::ToolCallDelta { arguments, .. } => {
                    made += 1;
                    let tool = tools.get(&name).ok_or("no such tool")?;
                    let prepared = tool.prepare(&ToolContext::new(), arguments.as_str().into());
                    prepared.map_err(|mistakes| format!("{name}: {arguments}: {mistakes}"))?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}
