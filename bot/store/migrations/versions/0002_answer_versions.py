"""Answers have versions, which keep their own text; servers have preferences; the bot has notes of its own.

Columns are added in place. Making `turns` anew, which is SQLite's way to most other changes, would delete what refers to it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("turns", sa.Column("asker_id", sa.BigInteger))
    op.add_column("turns", sa.Column("shown_version_nr", sa.Integer, nullable=False, server_default="1"))
    op.create_table(
        "answer_versions",
        sa.Column("turn_id", sa.String(16), sa.ForeignKey("turns.turn_id", ondelete="CASCADE"), primary_key=True),
        sa.Column("version_nr", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("status", sa.String(16)),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("thoughts", sa.Text, nullable=False),
        sa.Column("model", sa.Text, nullable=False),
        sa.Column("provider", sa.Text, nullable=False),
        sa.Column("facts", sa.Text, nullable=False),
        sa.Column("undelivered", sa.Boolean, nullable=False),
    )
    # Earlier answers were not kept: their text is what their messages show.
    op.execute(
        "INSERT INTO answer_versions SELECT turn_id, 1, started_at, ended_at, status, '', '', '', '', '', false FROM turns"
    )
    op.create_table(
        "server_preferences",
        sa.Column("guild_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("delivery", sa.Text, nullable=False),
    )
    op.create_table(
        "notes",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("notes")
    op.drop_table("server_preferences")
    op.drop_table("answer_versions")
    op.drop_column("turns", "shown_version_nr")
    op.drop_column("turns", "asker_id")
