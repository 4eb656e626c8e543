"""Turns and the messages of their answers."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "turns",
        sa.Column("turn_id", sa.String(16), primary_key=True),
        sa.Column("question_id", sa.BigInteger, nullable=False, unique=True),
        sa.Column("channel_id", sa.BigInteger, nullable=False, index=True),
        sa.Column("guild_id", sa.BigInteger),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False, index=True),
        sa.Column("ended_at", sa.DateTime(timezone=True)),
        sa.Column("status", sa.String(16)),
    )
    op.create_table(
        "turn_messages",
        sa.Column("message_id", sa.BigInteger, primary_key=True),
        sa.Column(
            "turn_id", sa.String(16), sa.ForeignKey("turns.turn_id", ondelete="CASCADE"), nullable=False, index=True
        ),
        sa.Column("part_seq", sa.Integer, nullable=False),
        sa.Column("text_length", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("turn_messages")
    op.drop_table("turns")
