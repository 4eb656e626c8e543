"""Choices for channels and people besides servers; questions of several messages; personas, memory notes, conversations."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("ix_turns_asker_id", "turns", ["asker_id"])
    op.add_column("turns", sa.Column("asked", sa.Text))
    op.add_column("answer_versions", sa.Column("persona", sa.Text, nullable=False, server_default=""))
    op.create_table(
        "turn_questions",
        sa.Column("message_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("turn_id", sa.String(16), sa.ForeignKey("turns.turn_id", ondelete="CASCADE"), nullable=False),
    )
    op.create_index("ix_turn_questions_turn_id", "turn_questions", ["turn_id"])
    op.execute("INSERT INTO turn_questions SELECT question_id, turn_id FROM turns")
    op.create_table(
        "preferences",
        sa.Column("scope", sa.String(8), primary_key=True),
        sa.Column("scope_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("topic", sa.String(16), primary_key=True),
        sa.Column("chosen", sa.Text, nullable=False),
    )
    op.execute("INSERT INTO preferences SELECT 'server', guild_id, 'delivery', delivery FROM server_preferences")
    op.drop_table("server_preferences")
    op.create_table(
        "conversations",
        sa.Column("channel_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("guild_id", sa.BigInteger),
        sa.Column("starts_after", sa.BigInteger),
        sa.Column("summary", sa.Text, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "personas",
        sa.Column("guild_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("key", sa.String(100), primary_key=True),
        sa.Column("persona", sa.Text, nullable=False),
        sa.Column("avatar", sa.LargeBinary),
        sa.Column("created_by", sa.BigInteger, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "memory_notes",
        sa.Column("note_id", sa.Integer, primary_key=True),
        sa.Column("guild_id", sa.BigInteger, nullable=False),
        sa.Column("user_id", sa.BigInteger),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("created_by", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("ix_memory_notes_place", "memory_notes", ["guild_id", "user_id"])
    op.create_index("ix_memory_notes_user_id", "memory_notes", ["user_id"])


def downgrade() -> None:
    op.create_table(
        "server_preferences",
        sa.Column("guild_id", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("delivery", sa.Text, nullable=False),
    )
    op.execute(
        "INSERT INTO server_preferences SELECT scope_id, chosen FROM preferences"
        " WHERE scope = 'server' AND topic = 'delivery'"
    )
    for table in ("memory_notes", "personas", "conversations", "preferences", "turn_questions"):
        op.drop_table(table)
    op.drop_column("answer_versions", "persona")
    op.drop_column("turns", "asked")
    op.drop_index("ix_turns_asker_id", "turns")
