"""What a command can do, pages and the API can too: held to a table.

A command that is new fails here until it stands in the table, with its doors or the reason for having none.
"""

from pathlib import Path

import pytest

from tests.db.test_access_matrix import names
from tests.paths import ROOT

DOORS = {
    "accounts": ("users", "api_users"),
    "add_raters": ("campaign_add_raters", "api_rater_add"),
    "add_to_study": ("study_manage", "api_study_members"),
    "admit_rater": ("campaign_admit", "api_rater_admit"),
    "campaign_links": ("campaign campaign_links_renew", "api_links"),
    "change_account": (
        "user_change", "api_user_role api_user_state api_user_unlock api_user_link api_user_token "
        "api_user_token_revoke",
    ),
    "close_campaign": ("campaign_state", "api_state"),
    "compare_campaigns": ("study_report", "api_compare"),
    "corpora": ("corpora corpus corpus_check", "api_corpora api_corpus api_corpus_check"),
    "correlate": ("campaign_correlation", "api_correlation"),
    "create_account": ("users", "api_users"),
    "create_campaign": ("campaign_new", "api_campaigns api_estimate"),
    "create_study": ("study_new", "api_studies"),
    "delete_campaign": ("campaign_delete", "api_delete"),
    "direction_table": ("directions_compare", "api_launch_directions"),
    "disagreement_round": ("campaign_disagreement", "api_round"),
    "exclude_rater": ("campaign_exclude", "api_rater_exclude"),
    "export_judgements": ("campaign_judgements", "api_judgements_file"),
    "export_plan": ("campaign_plan", "api_plan"),
    "export_study": ("study_package", "api_study_package"),
    "filter_corpus": ("corpus_filter", "api_corpus_filter"),
    "fluency": ("fluency_compare", "api_launch_fluency"),
    "forget_rater": ("campaign_forget", "api_rater_forget"),
    "import_corpus": ("corpus_import", "api_corpora"),
    "import_judgements": ("judgements_import", "api_import"),
    "import_output": ("output_import", "api_outputs"),
    "import_testset": ("testset_import", "api_testsets api_testsets_named"),
    "include_rater": ("campaign_exclude", "api_rater_include"),
    "joining_link": ("campaign campaign_joining", "api_joining"),
    "look_campaign": ("campaign_look", "api_looks"),
    "measure_diversity": ("diversity_measure", "api_launch_diversity"),
    "mix_corpora": ("corpora_mix", "api_corpora_mix"),
    "open_campaign": ("campaign_state", "api_state"),
    "preflight": ("system_train", "api_launch_preflight"),
    "quality_campaign": ("campaign", "api_reliability"),
    "recipes": ("recipes recipe", "api_recipes api_recipe"),
    "remove_from_study": ("study_manage", "api_study_members_remove"),
    "report_campaign": (
        "campaign_report report_table report_figure", "api_report api_report_table api_report_figure"
    ),
    "report_study": ("study_report study_tables", "api_study_report api_study_tables"),
    "run_cancel": ("run_change", "api_run_cancel"),
    "run_resume": ("run_change", "api_run_resume"),
    "runs": ("runs run", "api_runs api_run"),
    "score_campaign": ("campaign_results", "api_scores"),
    "score_lm": ("lm_score", "api_launch_score_lm"),
    "score_outputs": ("outputs_score", "api_launch_score api_testset_metrics"),
    "score_study": ("study_report", "api_study_scores"),
    "split_corpus": ("corpus_split", "api_corpus_split"),
    "study_texts": ("study_texts", "api_study_texts"),
    "systems": ("systems system", "api_systems"),
    "timesheet": ("campaign_hours", "api_timesheets"),
    "train_lm": ("lm_train", "api_launch_train_lm"),
    "train_system": ("system_train", "api_launch_train"),
    "translate_corpus": ("corpus_translate", "api_launch_corpus"),
    "translate_testset": ("testset_translate", "api_launch_testset"),
    "unseal_campaign": ("campaign_unseal", "api_unseal"),
    "withdraw_rater": ("campaign_hand_over", "api_rater_withdraw"),
}  # fmt: skip
"""Command → (addresses of pages, addresses of the API)."""
NO_DOOR = {
    "backup": "keeps the database and the files of the server",
    "demo": "makes an invented study and serves it",
    "demo_mt": "makes an invented chain of systems",
    "mt_check": "looks at the training environment of this machine",
    "restore": "fills an empty installation",
    "score_files": "scores files that lie on the server, without a database",
    "serve": "starts the server",
    "verify_study": "recomputes a file on any machine, without a database",
    "work": "is a worker",
}
"""What only a command does, and why."""


def commands():
    """Return the names of our commands."""
    folders = (ROOT / wing / "management" / "commands" for wing in ("annotation", "mtcore"))
    return {path.stem for folder in folders for path in Path(folder).glob("[a-z]*.py")}


def test_every_command_is_in_the_table():
    assert not DOORS.keys() & NO_DOOR.keys()
    assert commands() == DOORS.keys() | NO_DOOR.keys()


@pytest.mark.parametrize("command", sorted(DOORS))
def test_its_doors_are_there(command):
    pages, api = (text.split() for text in DOORS[command])
    known = set(names())
    assert pages, "it has no page"
    assert api, "the API does not have it"
    assert set(pages) | set(api) <= known
    assert all(name.startswith("api_") for name in api)
    assert not any(name.startswith("api_") for name in pages)
