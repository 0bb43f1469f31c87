"""Learners: of graphs, of tables, of both by what they predict; scores, searches and selectors they are made of."""
