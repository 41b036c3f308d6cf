//! What sandboxes have in common that are reached by running commands somewhere else.
